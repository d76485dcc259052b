// Defines the team page's routes: callers are known by key or session, and replies are JSON that may not be cached.
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { Static, TObject, TSchema } from 'typebox'
import type { Catalog } from '../catalog/types.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { Caller } from '../gateway/flow/authenticate.ts'
import type { Call } from '../http/call.ts'
import type { Route } from '../http/route.ts'
import type { LiveFeed } from '../insight/live-feed.ts'
import type { SpendReports } from '../insight/spend-reports.ts'
import type { Judging } from '../judging/open-judging.ts'
import type { OwnerRecords } from '../limits/owner-records.ts'
import type { DoorAddresses } from '../process/listen.ts'
import type { CallsReader } from '../record/calls-reader.ts'
import type { CoverageReader } from '../record/coverage-reader.ts'
import { refuseUnknownParameters } from '../record/read-filter.ts'
import type { SeenRecorder } from '../store/statements/recorders.ts'
import type { Store } from '../store/store.ts'
import type { SubmissionService } from '../submissions/submission-service.ts'
import type { World } from '../world/world.ts'
import type { OwnEntries } from './create-own-entries.ts'
import type { SharedFigures } from './shared-figures.ts'

/** Sources of the team page's data. */
export type SelfSources = Pick<Store, 'read' | 'write'> &
  Pick<World, 'clock' | 'every'> & {
    readonly directory: Directory
    readonly catalog: Catalog
    readonly records: OwnerRecords
    readonly calls: CallsReader
    readonly coverage: CoverageReader
    readonly reports: SpendReports
    /** The same figures of teams that organisers see. */
    readonly figures: SharedFigures
    /** Live figures of teams. */
    readonly feed: LiveFeed
    readonly entries: OwnEntries
    /** Lists a team's recorders. Rejects with StoreUnavailable. */
    readonly recorders: { readonly list: (teamId: string) => Promise<readonly SeenRecorder[]> }
    readonly addresses: DoorAddresses
    readonly submissions: SubmissionService
    readonly judging: Pick<Judging, 'results' | 'cases'>
  }

export const selfTag = "The team's page"
export const signInErrors = [
  'invalid_api_key',
  'key_blocked',
  'key_expired',
  'team_blocked',
  'cross_site',
] as const
const selfErrors = [...signInErrors, 'route_not_allowed'] as const

export function answerSelf(body: unknown, status = 200): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store' } })
}

type SelfFacts = Pick<Route<Caller>, 'path' | 'summary' | 'description' | 'headers'> &
  Pick<Route<Caller>, 'maxBodyBytes' | 'replyHeaders'> & {
    /** GET if absent. */
    readonly method?: 'POST' | 'PUT' | 'DELETE'
    /** `raw`: the body is the bytes of a file. */
    readonly bodyKind?: 'raw'
    readonly reply: TSchema
    /** 200 if absent. */
    readonly status?: 201
    /** Error codes besides those of every route. */
    readonly errors?: readonly ErrorCode[]
    /** Refuses parameters that the query schema does not have. */
    readonly isStrict?: true
    /** For routes that may take longer than the idle timeout of a connection. */
    readonly keepsOpen?: true
  }

/** Defines a route of the team page. `look` returns a record or a finished reply. */
export function selfRoute<Query extends TObject, Body extends TSchema>(
  route: SelfFacts & {
    readonly query?: Query
    readonly body?: Body
    readonly look: (caller: Caller, call: Call<Static<Body>, Static<Query>>) => unknown
  },
): Route<Caller> {
  const { method = 'GET', reply, status = 200, errors = [], isStrict, keepsOpen, look, ...facts } = route
  const { query } = facts
  return {
    replyHeaders: ['cache-control'],
    ...facts,
    method,
    tag: selfTag,
    replies: { [status]: reply },
    errors: [...selfErrors, 'unavailable', ...errors],
    handle: async (caller, call: Call<Static<Body>, Static<Query>>) => {
      if (isStrict === true && query !== undefined)
        refuseUnknownParameters(query, new URL(call.request.url).searchParams)
      if (keepsOpen === true) call.keepOpen()
      const answer = await look(caller, call)
      return answer instanceof Response ? answer : answerSelf(answer, status)
    },
  }
}

/** The time of a reply, and the version of the directory it is based on. */
export function momentOf({ clock, directory }: Pick<SelfSources, 'clock' | 'directory'>) {
  return { as_of: isoTime(clock()), version: directory.version() }
}
