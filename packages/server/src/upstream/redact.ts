// Makes an upstream's text safe to show: without our key, anything else that looks like one, our project, and addresses.

/**
 * Everything that names our account or opens it, and its replacement. In this order: keys occur inside links too. No two repetitions
 * are adjacent: a text that an upstream has made for the purpose must not keep us busy.
 */
const ours: readonly (readonly [RegExp, string])[] = [
  [/\bAIza[\w-]{20,}/g, '[key]'],
  [/\bsk-[\w*-]{8,}/g, '[key]'],
  [/\bya29\.[\w.-]+/g, '[key]'],
  [/\bBearer [\w.~+/=-]{8,}/gi, '[key]'],
  [/\bhttps?:\/\/\S+/g, '[link]'],
  [/\bapi[_-]?key['"]? ?[:=] ?['"]?[\w.~+/-]+/gi, '[key]'],
  [/\bkey=['"]?[\w.~+/-]+/gi, '[key]'],
  [/\b(?:projects|organizations|folders|billingAccounts)\/[^\s'"/,;)\]}]+/gi, '[project]'],
  [/\bproject[ _-]?(?:number|num|id|name)?['"]? ?[:=#]? ?['"]?\d{4,}/gi, '[project]'],
  [/\bproject[_-]?(?:id|name)['"]? ?[:=] ?['"]?[\w:.-]+/gi, '[project]'],
  [/\bproj_\w{6,}/g, '[project]'],
  [/\borg-[A-Za-z0-9]{6,}/g, '[account]'],
  [/\b[\w.-]{1,64}@[\w-]{1,64}(?:\.iam)?\.gserviceaccount\.com/gi, '[account]'],
]

/** How much of a text is searched and shown. */
const longestText = 10_000

/** `secret`: the key in use, '' for none. Links go too: they reveal how we reach the upstream. Cut texts afterwards: no pattern finds half a key. */
export function redact(text: string, secret: string): string {
  const read = text.slice(0, longestText)
  const withoutSecret = secret === '' ? read : read.replaceAll(secret, '[key]')
  return ours.reduce((shown, [pattern, place]) => shown.replaceAll(pattern, place), withoutSecret)
}
