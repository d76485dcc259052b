// Where the vendor may send us for a file: on its own origin, or to a host of the public by https. Nothing else is asked, ever.

export type Redirect =
  | { readonly kind: 'own'; readonly url: URL }
  /** Its addresses must still be checked. */
  | { readonly kind: 'public'; readonly url: URL }
  | { readonly kind: 'refused' }

/** `from`: what was asked; `base`: the address of the upstream in the settings. */
export function judgeRedirect(location: string | null, from: string, base: string): Redirect {
  const url = location === null || location === '' ? null : URL.parse(location, from)
  if (url === null || url.username !== '' || url.password !== '') return { kind: 'refused' }
  if (url.origin === new URL(base).origin) return { kind: 'own', url }
  if (url.protocol === 'https:' && url.port === '') return { kind: 'public', url }
  return { kind: 'refused' }
}
