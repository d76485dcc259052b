// Where the data of a server is, by the same settings as the server's own.
import { resolve } from 'node:path'
import { readEnvironment } from '../config/environment.ts'
import { readDatabaseUrl } from '../config/secrets.ts'

export type DataPlace = {
  readonly dataFolder: string
  /** PostgreSQL; null for the SQLite file in the data folder. */
  readonly databaseUrl: string | null
}

/** Throws an Error that names the setting at fault. */
export function findDataPlace(variables: Readonly<Record<string, string | undefined>>): DataPlace {
  const environment = readEnvironment(variables)
  return {
    dataFolder: resolve(environment.FAIRGATE_DATA_DIR ?? 'data'),
    databaseUrl: readDatabaseUrl(environment),
  }
}
