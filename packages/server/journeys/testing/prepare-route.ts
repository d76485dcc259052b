// Prepares what a working request of any route needs, on a server with the team `reader`: names with values, and a credential.
import { createHash } from 'node:crypto'
import { type DoorRoute, type NamedValues, namesMember, prepareMember } from './door-routes.ts'
import { ingest, sampleEntry } from './logbook-client.ts'
import { makeCall } from './make-call.ts'
import { orderVideo } from './order-video.ts'
import { prepareOwner } from './prepare-owner.ts'
import { adminKey, type Fairgate } from './start-fairgate.ts'

/** `key`, `token`, `videoId`: of the team `reader`, which has an entry in its log. */
export type PreparedEvent = Fairgate & {
  readonly key: string
  readonly token: string
  readonly videoId: string
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')

async function prepareTeam({ manage, gatewayUrl, logbookUrl }: Fairgate, team_id: string) {
  const ownKey = await manage.team(team_id, { max_budget: 100 })
  const own = hashOf(ownKey)
  const { token, token_id } = await manage.token(team_id)
  await ingest(logbookUrl, token, [sampleEntry])
  const call_id = await makeCall(gatewayUrl, ownKey)
  return {
    team_id,
    teams: [team_id],
    team_ids: [team_id],
    key: own,
    keys: [own],
    token_id,
    id: 'mm-2.5-flash',
    entry: 1,
    call_id,
  }
}

/** For each route: names with working values, and the credential. A route that changes something in the admin door gets its own team. */
export async function createPreparer(event: PreparedEvent) {
  const { manage, gatewayUrl, key, token, videoId } = event
  const video = await orderVideo(gatewayUrl, key)
  const call_id = await makeCall(gatewayUrl, key)
  const owner = { gatewayUrl, post: manage.post, team_id: 'reader', key }
  const shared = { id: 'mm-2.5-flash', entries: [sampleEntry], video_id: videoId, call_id, ...video }
  const readTeam = await prepareTeam(event, 'own-read')
  let teams = 0
  return async (route: DoorRoute): Promise<{ values: NamedValues; secret: string }> => {
    if (route.door !== 'admin')
      return {
        values: {
          team_id: 'reader',
          ...shared,
          ...(await prepareMember(route, 'reader', manage.post)),
          ...(await prepareOwner(route, owner)),
        },
        secret: route.door === 'gateway' ? key : token,
      }
    const isRead = route.method === 'GET' && !namesMember(route)
    teams += 1
    const team_id = isRead ? readTeam.team_id : `own-${teams}`
    return {
      values: {
        ...(isRead ? readTeam : await prepareTeam(event, team_id)),
        ...(await prepareMember(route, team_id, manage.post)),
        ...(await prepareOwner(route, owner)),
      },
      secret: adminKey,
    }
  }
}
