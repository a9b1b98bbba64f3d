// Event-sourced sessions of every kind, for the fixture of the stored form, and what is read of it.

/** Writes them, and gives what must be read of each as JSON lines. */
export async function writeLogs() {
  const storage = lab.createIndexedDbStore();
  const sessions = lab.createSessionStore({ storage });
  const user = { kind: 'user' };
  const text = (words) => [{ type: 'text', text: words }];
  const turn = (session, number, words) => {
    session.append('turn/start', { turn: number, trigger: { kind: 'message', source: user } });
    const asked = session.append('user/message', { content: text(`${words} ${number}`), source: user }, { surfaceOp: 'append' });
    session.append('step/start', { turn: number, step: 1 });
    for (const delta of ['He', 'l\ud83d', '\ude00lo', '']) {
      session.append('assistant/chunk', { turn: number, step: 1, chunk: { type: 'text-delta', index: 0, text: delta } });
    }
    for (const argumentsDelta of ['{"a"', ':1', '}']) {
      session.append('assistant/chunk', { turn: number, step: 1, chunk: { type: 'tool-call-delta', index: 1, id: 'c', name: 'n', argumentsDelta } });
    }
    const provenance = { provider: 'p', model: 'm' };
    session.append('assistant/message', { turn: number, step: 1, content: text('Hel\u{1f600}lo'), provenance }, { surfaceOp: 'append' });
    session.append('step/end', { turn: number, step: 1 });
    session.append('turn/end', { turn: number, reason: { kind: 'completed' } });
    return asked;
  };
  const long = sessions.create('long', { meta: { cwd: '/work', createdAt: 1 } });
  for (let number = 1; number <= 40; number += 1) {
    turn(long, number, number === 20 ? 'x'.repeat(61_000) : 'question');
    await sessions.flush(long);
  }
  const odd = sessions.create('half \ud83d', { meta: { createdAt: 2 } });
  const asked = turn(odd, 1, 'odd');
  const op = { op: 'replace', start: asked.seq, end: asked.seq };
  odd.append('user/message', { content: text('shorter'), source: user }, { surfaceOp: op, sourceEventSeqs: [asked.seq] });
  odd.append('plugin/any', JSON.parse('{"__proto__":[1e21,5e-324],"2":null,"1":""}'));
  odd.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
  await sessions.flush(odd);
  await sessions.flush(sessions.fork(long, 25, 'fork'));
  const open = sessions.create('open', { meta: { createdAt: 3 } });
  open.append('turn/start', { turn: 1, trigger: { kind: 'message', source: user } });
  await sessions.flush(open);
  await storage.close();
  return readLogs();
}

/** What is read of all stored logs. */
export async function readLogs() {
  const storage = lab.createIndexedDbStore();
  const sessions = lab.createSessionStore({ storage });
  const logs = [];
  for (const { id } of await sessions.stored()) {
    const { header, events } = await sessions.open(id);
    logs.push(lab.writeSessionLog(header, events));
  }
  await storage.close();
  return logs;
}
