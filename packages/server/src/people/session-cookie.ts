// Cookies of signed-in pages. Doors on one host share their cookies regardless of port, so each door uses its own cookie name.

export type CookieName = 'fairgate_session' | 'fairgate_team'

/** Null if there is none. Among multiple cookies with one name the first counts, because browsers put the one with the closest path there. */
export function readCookie(headers: Headers, name: CookieName): string | null {
  const header = headers.get('cookie')
  if (header === null) return null
  for (const part of header.split(';')) {
    const [key, value] = part.trim().split('=', 2)
    if (key === name && value !== undefined && value !== '') return value
  }
  return null
}

/** No `Max-Age`: the server decides when it ends, and the browser deletes it when it is closed. */
export function writeCookie(name: CookieName, value: string, isSecure: boolean): string {
  return `${name}=${value}; ${attributes(isSecure)}`
}

export function clearCookie(name: CookieName, isSecure: boolean): string {
  return `${name}=; Max-Age=0; ${attributes(isSecure)}`
}

function attributes(isSecure: boolean): string {
  return `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
}
