// Reads the process environment: strings only, no meaning. Nothing else in the server touches process.env.

const settingNames = [
  'FAIRGATE_CONFIG',
  'FAIRGATE_DATA_DIR',
  'FAIRGATE_HOST',
  'FAIRGATE_ADMIN_HOST',
  'FAIRGATE_GATEWAY_PORT',
  'FAIRGATE_LOGBOOK_PORT',
  'FAIRGATE_ADMIN_PORT',
  'FAIRGATE_ADMIN_KEY',
  'FAIRGATE_GATEWAY_URL',
  'FAIRGATE_LOGBOOK_URL',
  'DATABASE_URL',
  'VENDOR_API_KEY',
  'VENDOR_BASE_URL',
] as const

/** Names that only the command-line client reads; known here so that they do not stop the server. */
const clientNames = ['FAIRGATE_ADMIN_URL']

export type SettingName = (typeof settingNames)[number]
export type Environment = Readonly<Partial<Record<SettingName, string>>>

/** Throws an Error that names every `FAIRGATE_…` variable that does not exist. Empty values count as not set. */
export function readEnvironment(variables: Readonly<Record<string, string | undefined>>): Environment {
  const known = new Set<string>([...settingNames, ...clientNames])
  const unknown = Object.keys(variables).filter(name => name.startsWith('FAIRGATE_') && !known.has(name))
  if (unknown.length > 0) {
    throw new Error(`Unknown setting ${unknown.join(', ')}. Known: ${[...known].join(', ')}.`)
  }
  return Object.fromEntries(
    settingNames.flatMap(name => {
      const value = variables[name]?.trim()
      return value ? [[name, value]] : []
    }),
  )
}
