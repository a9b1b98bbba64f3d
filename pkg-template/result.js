export function ok(value) {
  return { ok: true, value };
}

export function err(error) {
  return { ok: false, error };
}

export function isOk(result) {
  return result.ok === true;
}

export function isErr(result) {
  return result.ok === false;
}
