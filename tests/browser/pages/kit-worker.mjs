// The contract kit in a dedicated worker; posts its report.
import { runKit } from './kit.mjs';

const unhandled = [];
self.addEventListener('unhandledrejection', (event) => unhandled.push(String(event.reason)));

self.onmessage = async ({ data: kind }) => {
  try {
    const report = await runKit(kind);
    // A rejection nobody handles is told of in a later task.
    await new Promise((resolve) => setTimeout(resolve, 50));
    self.postMessage({ value: { ...report, unhandled } });
  } catch (error) {
    self.postMessage({ failed: String(error?.stack ?? error) });
  }
};
