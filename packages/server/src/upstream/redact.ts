// What an upstream says, made fit to be shown: without our key, whatever else looks like one, our project, and addresses.

/**
 * Everything that names our account or opens it, and what stands in its place. In this order: keys stand inside links too. No
 * two repetitions stand side by side: a text that an upstream has made for the purpose must not keep us busy.
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

/** As much of a text as is looked through and shown. */
const longestText = 10_000

/** `secret`: the key in use, '' for none. Links go too: they tell how we reach the upstream. Cut texts only afterwards: no pattern tells half a key. */
export function redact(text: string, secret: string): string {
  const read = text.slice(0, longestText)
  const withoutSecret = secret === '' ? read : read.replaceAll(secret, '[key]')
  return ours.reduce((shown, [pattern, place]) => shown.replaceAll(pattern, place), withoutSecret)
}
