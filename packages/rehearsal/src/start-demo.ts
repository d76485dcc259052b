// Starts a server on a folder of its own that is filled with a made-up past, with links that sign in to its pages.
import { teamPageLink } from '../../server/src/gateway/endpoints/self/self-family.ts'
import { AdminCaller } from './admin-caller.ts'
import { type FilledFolder, fillFolder } from './past/fill-folder.ts'
import { type OwnServer, startOwnServer, type Variables } from './start-own-server.ts'

export type Demo = OwnServer & {
  readonly filled: FilledFolder
  /** Each signs in once, within a quarter of an hour. */
  readonly links: { readonly console: string; readonly teamPage: string }
}

/** `place`: the folder in which the temporary one is made. Throws an Error that says what is in the way. */
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
