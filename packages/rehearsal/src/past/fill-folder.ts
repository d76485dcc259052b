// Fills the data folder of a server that has not started yet with sample data, so that no page is empty.
import { randomBytes, randomUUID } from 'node:crypto'
import { isTimeZone } from '@fairgate/contracts/text/zoned-time.ts'
import { version as recorderVersion } from '@fairgate/recorder/build-program.ts'
import { NoteService } from '../../../server/src/admin/note-service.ts'
import { resolveModelName } from '../../../server/src/catalog/find-name-here.ts'
import { readSources } from '../../../server/src/catalog/read-sources.ts'
import { CallCorrections } from '../../../server/src/directory/call-corrections.ts'
import { createDirectory } from '../../../server/src/directory/create-directory.ts'
import { createDigester } from '../../../server/src/evidence/create-digester.ts'
import { readJoinRules, shippedJoinRules } from '../../../server/src/evidence/read-join-rules.ts'
import { prepareEntries } from '../../../server/src/logbook/accept-entries/prepare-entries.ts'
import { SignIns } from '../../../server/src/people/sign-ins.ts'
import { openSqliteStore } from '../../../server/src/store/sqlite/open-sqlite-store.ts'
import { packEntries } from '../../../server/src/store/statements/packed-entries.ts'
import { writeCredential } from '../../../server/src/team-page/self-family.ts'
import type { Variables } from '../start-own-server.ts'
import { type Filled, fillPast, type PastKeeper } from './fill-past.ts'

export type FilledFolder = Filled & {
  /** One-time sign-in to the page of a team that has worked. */
  readonly teamTicket: string
}

/** Longer than the filling takes. The server that starts afterwards takes over the slot. */
const leaseMs = 60_000

/** `variables`: the ones that the server will start with, on SQLite. */
export async function fillFolder(variables: Variables): Promise<FilledFolder> {
  const { config, reloadable, loadSecrets } = readSources(variables)
  const { catalog } = reloadable
  const secrets = loadSecrets()
  const store = await openSqliteStore(config.dataFolder)
  try {
    const { read, write } = store
    let backdatedTo: number | null = null
    const clock = () => backdatedTo ?? Date.now()
    const newId = () => Bun.randomUUIDv7()
    const directory = await createDirectory({
      store,
      clock,
      randomBytes,
      newId: randomUUID,
      resolveModel: name => resolveModelName(catalog, name),
      defaultMaxParallelRequests: config.settings.limits.default_max_parallel_requests,
    })
    const process = await write.registerProcess({ processId: newId(), version: 'rehearsal', leaseMs })
    if (process === null) throw new Error('Another server is using this data folder. Stop it first.')
    const notes = new NoteService({ read, write, directory, clock })
    const past: PastKeeper = {
      directory,
      corrections: new CallCorrections({
        read,
        write,
        // No running server keeps counts; the one that starts later reads the totals.
        limits: { adjust: () => undefined },
        directory,
        slot: () => process.slot,
        clock,
        newId,
      }),
      writeNote: (teamId, text, actor) =>
        notes.create({ subject: 'team', team_id: teamId, text }, { actor, role: 'organiser' }),
      models: catalog.models,
      timeZone: readTimeZone(),
      clock,
      backdate: async (at, run) => {
        backdatedTo = at
        await run()
        backdatedTo = null
      },
      writing: {
        write,
        process,
        digestTexts: createDigester(secrets.joinKey, readJoinRules(shippedJoinRules)),
        recorderVersion,
        newIdAt: at => Bun.randomUUIDv7('hex', at),
        prepareEntries: (entries, at) => {
          const { prepared, rejected } = prepareEntries(Buffer.from(JSON.stringify({ entries })), at)
          if (rejected.length > 0)
            throw new Error(`A sample entry is not valid: ${JSON.stringify(rejected[0])}`)
          return packEntries(prepared, randomBytes)
        },
      },
    }
    const filled = await fillPast(past)
    const [key] = directory.keysOfTeam(filled.shownTeam)
    if (key === undefined) throw new Error(`Sample team ${filled.shownTeam} has no key.`)
    const signIns = new SignIns({ door: 'gateway', read, write, clock, randomBytes })
    const { ticket } = await signIns.makeTicket(writeCredential(key.keyHash))
    await write.endProcess(process)
    return { ...filled, teamTicket: ticket }
  } finally {
    await store.close()
  }
}

/** The machine's time zone, as an IANA name. */
function readTimeZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return isTimeZone(timeZone) ? timeZone : 'UTC'
}
