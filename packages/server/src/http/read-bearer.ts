// Reads the credential of a request; its meaning is the door's business.

export type Bearer =
  | { readonly kind: 'secret'; readonly secret: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'malformed' }

export function readBearer(headers: Headers): Bearer {
  const header = headers.get('authorization')
  if (header === null) return { kind: 'missing' }
  const secret = /^bearer +(\S+)$/i.exec(header.trim())?.[1]
  return secret === undefined ? { kind: 'malformed' } : { kind: 'secret', secret }
}
