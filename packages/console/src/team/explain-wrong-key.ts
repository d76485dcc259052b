// Recognizes other secrets that were pasted instead of a gateway key, so that they are never sent.

/** Null if the text may be a gateway key. */
export function explainWrongKey(text: string): string | null {
  if (text.startsWith('aitc_'))
    return 'This is a log token, which starts with aitc_. Your gateway key starts with sk-.'
  if (text.startsWith('adm-')) return 'This is an admin key. It opens the organiser console, not a team page.'
  return null
}
