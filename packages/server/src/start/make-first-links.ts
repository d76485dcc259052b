// Creates the links of the start text, which sign in to the console and the demo team's page, once each.

import { consoleLink } from '../admin/session-routes.ts'
import type { Directory } from '../directory/create-directory.ts'
import { demoTeamId } from '../directory/demo-team.ts'
import type { Key } from '../directory/types.ts'
import type { SignIns } from '../people/sign-ins.ts'
import { teamPageLink, writeCredential } from '../team-page/self-family.ts'

/** A link is null if its door is not open. */
export type FirstLinks = { readonly console: string | null; readonly teamPage: string | null }

export type FirstLinksDependencies = {
  readonly directory: Pick<Directory, 'keysOfTeam' | 'findTeam'>
  /** The form of the admin key that a session keeps. */
  readonly adminCredential: () => Promise<string | null>
  readonly admin: { readonly url: string; readonly signIns: Pick<SignIns, 'makeTicket'> } | null
  readonly gateway: { readonly url: string; readonly signIns: Pick<SignIns, 'makeTicket'> } | null
  /** Unix ms. */
  readonly clock: () => number
}

export async function makeFirstLinks(dependencies: FirstLinksDependencies): Promise<FirstLinks> {
  const { admin, gateway, adminCredential } = dependencies
  const credential = admin === null ? null : await adminCredential()
  const key = gateway === null ? null : findDemoKey(dependencies)
  return {
    console:
      admin === null || credential === null
        ? null
        : consoleLink(admin.url, (await admin.signIns.makeTicket(credential)).ticket),
    teamPage:
      gateway === null || key === null
        ? null
        : teamPageLink(gateway.url, (await gateway.signIns.makeTicket(writeCredential(key.keyHash))).ticket),
  }
}

/** Returns a key that signs in. A key with a second secret is skipped, because its first one may no longer be valid. */
function findDemoKey({ directory, clock }: FirstLinksDependencies): Key | null {
  if (directory.findTeam(demoTeamId)?.blocked === true) return null
  const isUsable = (key: Key) =>
    key.blocked !== true &&
    (key.rotation ?? null) === null &&
    (key.expiresAt === null || key.expiresAt > clock())
  return directory.keysOfTeam(demoTeamId).find(isUsable) ?? null
}
