// Starts the demo. The application is imported here and not at the top, so that a page whose package is not
// built, or whose browser has no WebAssembly, says so instead of staying blank.
try {
  const { start } = await import('./app.mjs');
  await start();
} catch (error) {
  console.error(error);
  document.getElementById('composer').hidden = true;
  document.getElementById('columns').inert = false;
  document.getElementById('title').textContent = 'The demo cannot start';
  document.getElementById('notice').textContent = `${error.message} (The package is built with “make build”.)`;
}
