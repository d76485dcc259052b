// What an upstream says, made fit to be shown: without our key, whatever else looks like one, and addresses.

/** `secret`: the key in use, '' for none. Links go too: they tell how we reach the upstream. */
export function redact(text: string, secret: string): string {
  const withoutSecret = secret === '' ? text : text.replaceAll(secret, '[key]')
  return withoutSecret
    .replaceAll(/\bAIza[\w-]{20,}/g, '[key]')
    .replaceAll(/\bsk-[\w*-]{8,}/g, '[key]')
    .replaceAll(/\bhttps?:\/\/\S+/g, '[link]')
}
