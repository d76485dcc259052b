// Says what was pasted instead of a gateway key, before anything is sent: secrets of other kinds belong elsewhere.

/** Null for what may be a key. */
export function explainWrongKey(text: string): string | null {
  if (text.startsWith('aitc_'))
    return 'That is a log token: it begins with aitc_. Your gateway key begins with sk-.'
  if (text.startsWith('adm-'))
    return 'That is an admin key. It opens the console of the organisers, not a team page.'
  return null
}
