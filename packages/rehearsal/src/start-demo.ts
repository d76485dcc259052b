// Starts a server on its own folder filled with sample data, and makes sign-in links for its pages.
import { teamPageLink } from '../../server/src/team-page/self-family.ts'
import { AdminCaller } from './admin-caller.ts'
import { type FilledFolder, fillFolder } from './past/fill-folder.ts'
import { type OwnServer, startOwnServer, type Variables } from './start-own-server.ts'

export type Demo = OwnServer & {
  readonly filled: FilledFolder
  /** Each link works once, within 15 minutes. */
  readonly links: { readonly console: string; readonly teamPage: string }
}

/** `place`: parent of the temporary folder. Throws an Error that names the obstacle. */
export async function startDemo(variables: Variables, place: string): Promise<Demo> {
  const filling = Promise.withResolvers<FilledFolder>()
  const own = await startOwnServer(variables, place, async ownVariables =>
    filling.resolve(await fillFolder(ownVariables)),
  )
  try {
    const filled = await filling.promise
    const { url } = await new AdminCaller(own.server, fetch).post('/session/link', {})
    const teamPage = teamPageLink(own.server.gatewayUrl, filled.teamTicket)
    return { ...own, filled, links: { console: String(url), teamPage } }
  } catch (error) {
    await own.stop()
    throw error
  }
}
