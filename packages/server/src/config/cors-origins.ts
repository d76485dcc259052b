// Reads which pages may call the gateway: the origins of the setting `gateway.cors_origins`.

/** The origins as browsers send them, or `any`. */
export type CorsOrigins = 'any' | ReadonlySet<string>

/** `place`: the settings file, for errors. Throws an Error that repeats the faulty value. */
export function readCorsOrigins(place: string, value: unknown): CorsOrigins {
  const setting = `${place}: setting gateway.cors_origins`
  if (value === 'any') return value
  if (value === 'none') return new Set()
  if (!Array.isArray(value))
    throw new Error(`${setting} must be any, none or a list of origins, not ${JSON.stringify(value)}.`)
  for (const entry of value) {
    const origin = originOf(entry)
    if (origin === entry) continue
    const advice =
      origin === null ? 'Write scheme and host, such as https://game.example.' : `Write ${origin}.`
    throw new Error(`${setting}: ${JSON.stringify(entry)} is not an origin. ${advice}`)
  }
  return new Set(value)
}

/** The origin of an address, in the spelling that browsers send: lower case, no path, no default port. Apps have schemes of their own. */
function originOf(entry: unknown): string | null {
  const url = typeof entry === 'string' ? URL.parse(entry) : null
  return url === null || url.host === '' ? null : `${url.protocol}//${url.host}`
}
