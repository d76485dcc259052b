// Parses DATABASE_URL: one address for each server that it names, because the driver only knows addresses with one host.

export type DatabaseAddress = {
  /** An address for each server, in the order of the text. Each has the password. */
  readonly servers: readonly [string, ...string[]]
  /** A server that accepts no writes is not used: it is a standby, and the primary is elsewhere. */
  readonly needsWrites: boolean
  /** Servers and database, without user and password. */
  readonly label: string
}

/** Throws an Error that does not repeat the text, because it contains a password. */
export function readDatabaseAddress(text: string): DatabaseAddress {
  const parts = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)([^#]*)$/.exec(text)
  if (parts === null) throw refuse('It is not a PostgreSQL address.')
  const [, scheme = '', credentials = '', hosts = '', rest = ''] = parts
  const [path = '', query = ''] = rest.split('?', 2)
  const parameters = new URLSearchParams(query)
  const target = parameters.get('target_session_attrs')
  if (/,/.test(parameters.get('host') ?? ''))
    throw refuse('Put all servers before the path: postgres://user:password@one,two/fairgate.')
  parameters.delete('target_session_attrs')
  const names = hosts.split(',').map(host => host.trim())
  if (names.length > 1 && names.includes('')) throw refuse('One of its servers has no name.')
  const search = parameters.size === 0 ? '' : `?${parameters.toString().replaceAll('+', '%20')}`
  const [first, ...others] = names.map(name => `${scheme}${credentials}${name}${path}${search}`)
  if (first === undefined || ![first, ...others].every(isReadable))
    throw refuse('It is not a PostgreSQL address.')
  return {
    servers: [first, ...others],
    needsWrites: readTarget(target, names.length),
    label: `${names.join(',')}${path}`,
  }
}

/** The driver also accepts an address without a host, which means a socket of this machine. */
function isReadable(address: string): boolean {
  return URL.canParse(address) || URL.canParse(address.replace('@/', '@socket/'))
}

/** As libpq names them (PostgreSQL's manual, section 34.1.2). */
function readTarget(target: string | null, servers: number): boolean {
  switch (target) {
    case 'read-write':
    case 'primary':
      return true
    case 'any':
      if (servers > 1)
        throw refuse('With several servers target_session_attrs must be read-write, which is the default.')
      return false
    case null:
      return servers > 1
    default:
      throw refuse('target_session_attrs must be read-write, primary or any: Fairgate writes.')
  }
}

function refuse(reason: string): Error {
  return new Error(
    `DATABASE_URL must be an address such as postgres://user:password@host:5432/fairgate. ${reason}`,
  )
}
