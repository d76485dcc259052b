// Prepares the start text: on an empty sandbox server, a demo team to try things out with, and sign-in links.
import type { Access } from '../admin/create-access.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { SignIns } from '../people/sign-ins.ts'
import type { OpenedDoors } from '../process/open-doors.ts'
import { readsLog } from '../process/open-world.ts'
import type { Membership } from '../process/running-server.ts'
import type { World } from '../world/world.ts'
import { createDemoTeam } from './create-demo-team.ts'
import { describeStart } from './describe-start.ts'
import { makeFirstLinks } from './make-first-links.ts'

/** Returns the text. */
export async function greetOperator(
  { config, secrets, clock }: World,
  {
    membership,
    directory,
    access,
    teamSignIns,
    doors,
  }: {
    readonly membership: Membership | null
    readonly directory: Directory
    readonly access: Access
    readonly teamSignIns: SignIns
    readonly doors: Pick<OpenedDoors, 'open' | 'urls'>
  },
): Promise<string> {
  const { open, urls } = doors
  // A key and a token are shown once, so the demo team is only created if both are of use.
  const isForTrying = config.vendor === null && open.gateway !== undefined && open.logbook !== undefined
  const demo = isForTrying ? await createDemoTeam(directory) : null
  // Many people read the log of a service, so links are only shown to a person, or if there is only play money.
  const isForPerson = config.vendor === null || readsLog(membership)
  const links =
    isForPerson && membership?.isBesideOthers !== true
      ? await makeFirstLinks({
          directory,
          adminCredential: async () =>
            (await access.sessions.identities.findByKey(secrets.adminKey))?.credential ?? null,
          admin: open.admin === undefined ? null : { url: open.admin.publicUrl, signIns: access.signIns },
          gateway:
            open.gateway === undefined || config.vendor !== null
              ? null
              : { url: open.gateway.publicUrl, signIns: teamSignIns },
          clock,
        })
      : null
  return describeStart({ urls, config, secrets, demo, links, now: new Date().toISOString() })
}
