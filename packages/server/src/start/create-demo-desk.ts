// Makes what fills a server with a rehearsed past, out of the parts that write calls and entries of the present.
import { randomBytes } from 'node:crypto'
import { isTimeZone } from '@fairgate/contracts/text/zoned-time.ts'
import type { SignIns } from '../access/sign-ins.ts'
import { DemoDesk, type DemoDeskDependencies } from '../demo/demo-desk.ts'
import { writeCredential } from '../gateway/endpoints/self/self-family.ts'
import { prepareEntries } from '../logbook/accept-entries/prepare-entries.ts'
import { packEntries } from '../store/statements/packed-entries.ts'
import { demoTeamId } from './create-demo-team.ts'
import { teamPageLink } from './make-first-links.ts'

export type DemoParts = Omit<
  DemoDeskDependencies,
  'newIdAt' | 'prepareEntries' | 'demoTeamId' | 'makeTeamLink' | 'timeZone'
> & {
  readonly teamPage: { readonly url: () => string | null; readonly signIns: Pick<SignIns, 'makeTicket'> }
}

export function createDemoDesk({ teamPage, ...parts }: DemoParts): DemoDesk {
  return new DemoDesk({
    ...parts,
    demoTeamId,
    newIdAt: at => Bun.randomUUIDv7('hex', at),
    prepareEntries: (entries, at) => {
      const { prepared, rejected } = prepareEntries(Buffer.from(JSON.stringify({ entries })), at)
      if (rejected.length > 0) throw new Error(`A made-up entry is not valid: ${JSON.stringify(rejected[0])}`)
      return packEntries(prepared, randomBytes)
    },
    makeTeamLink: async keyHash => {
      const url = teamPage.url()
      if (url === null) return null
      return teamPageLink(url, (await teamPage.signIns.makeTicket(writeCredential(keyHash))).ticket)
    },
    timeZone: () => {
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
      return isTimeZone(timeZone) ? timeZone : 'UTC'
    },
  })
}
