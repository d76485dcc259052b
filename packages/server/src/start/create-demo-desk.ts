// Makes what fills a server with a rehearsed past, out of the parts that write calls and entries of the present.
import { randomBytes } from 'node:crypto'
import { isTimeZone } from '@fairgate/contracts/text/zoned-time.ts'
import type { SignIns } from '../access/sign-ins.ts'
import type { Catalog } from '../catalog/types.ts'
import type { Config } from '../config/config.ts'
import { DemoDesk, type DemoDeskDependencies } from '../demo/demo-desk.ts'
import { demoTeamId } from '../directory/demo-team.ts'
import { teamPageLink, writeCredential } from '../gateway/endpoints/self/self-family.ts'
import { prepareEntries } from '../logbook/accept-entries/prepare-entries.ts'
import { packEntries } from '../store/statements/packed-entries.ts'
import type { Desks } from './create-desks.ts'
import type { Upstreams } from './create-upstreams.ts'
import type { DoorAddresses } from './door-addresses.ts'
import type { Ledger } from './start-ledger.ts'

export type DemoParts = Pick<
  DemoDeskDependencies,
  'write' | 'digestTexts' | 'directory' | 'recorderVersion' | 'clock'
> & {
  readonly config: Pick<Config, 'vendor'>
  readonly ledger: Pick<Ledger, 'limits' | 'lease'>
  readonly desks: Pick<Desks, 'corrections' | 'notes'>
  readonly catalog: Pick<Catalog, 'models'>
  readonly upstreams: Pick<Upstreams, 'describeHealth'>
  readonly addresses: Pick<DoorAddresses, 'ofOpenGateway'>
  readonly teamSignIns: Pick<SignIns, 'makeTicket'>
}

export function createDemoDesk(parts: DemoParts): DemoDesk {
  const { config, ledger, desks, catalog, upstreams, addresses, teamSignIns } = parts
  const { write, digestTexts, directory, recorderVersion, clock } = parts
  return new DemoDesk({
    write,
    digestTexts,
    directory,
    recorderVersion,
    clock,
    process: ledger.lease.process,
    adjust: ledger.limits.adjust,
    corrections: desks.corrections,
    writeNote: (teamId, text, actor) =>
      desks.notes.create({ subject: 'team', team_id: teamId, text }, { actor, role: 'organiser' }),
    models: () => catalog.models,
    isSandbox: config.vendor === null,
    findUpstreamKey: name =>
      upstreams.describeHealth().find(({ upstream }) => upstream === name)?.keys[0]?.id ?? null,
    demoTeamId,
    newIdAt: at => Bun.randomUUIDv7('hex', at),
    prepareEntries: (entries, at) => {
      const { prepared, rejected } = prepareEntries(Buffer.from(JSON.stringify({ entries })), at)
      if (rejected.length > 0) throw new Error(`A made-up entry is not valid: ${JSON.stringify(rejected[0])}`)
      return packEntries(prepared, randomBytes)
    },
    makeTeamLink: async keyHash => {
      const url = addresses.ofOpenGateway()
      if (url === null) return null
      return teamPageLink(url, (await teamSignIns.makeTicket(writeCredential(keyHash))).ticket)
    },
    timeZone: () => {
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
      return isTimeZone(timeZone) ? timeZone : 'UTC'
    },
  })
}
