// GET /demo and POST /demo/fill: a rehearsed past for a server that is there to be tried.

import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  type DemoState,
  demoStateSchema,
  type FilledDemo,
  fillDemoBodySchema,
  filledDemoSchema,
} from '@fairgate/contracts/management/demo.ts'
import type { DemoDesk } from '../demo/demo-desk.ts'
import type { Directory } from '../directory/create-directory.ts'
import { type AdminRoute, defineAdminRoute } from './admin-route.ts'
import type { AdminCaller } from './authenticate-admin.ts'
import { answer, lookupRoute } from './management-route.ts'

const tag = 'Rehearsed past'

export type DemoDependencies = {
  readonly desk: Pick<DemoDesk, 'isFilled' | 'whyNot' | 'fill' | 'preview'>
  readonly directory: Pick<Directory, 'version'>
  /** Unix ms. */
  readonly clock: () => number
}

export function demoRoutes({ desk, directory, clock }: DemoDependencies): AdminRoute[] {
  const moment = () => ({ as_of: isoTime(clock()), version: directory.version() })
  return [
    lookupRoute({
      tag,
      openTo: 'everyone',
      path: '/demo',
      summary: 'Whether this server can be filled with a rehearsed past',
      reply: demoStateSchema,
      errors: [],
      look: (): DemoState => {
        const whyNot = desk.whyNot()
        return { filled: desk.isFilled(), can_fill: whyNot === null, why_not: whyNot, ...moment() }
      },
    }),
    defineAdminRoute({
      method: 'POST',
      tag,
      openTo: 'organisers',
      path: '/demo/fill',
      summary: 'Make up an event that has been running for five hours',
      description:
        'Twelve teams with members and keys, phases, calls with their costs and refusals, sessions of three tools in the log, announcements and corrections. It ' +
        'takes some seconds. Only a server with the embedded sandbox and without teams (but for the team `demo`) takes it, and it cannot be taken out again: ' +
        'delete the data to start over.',
      body: fillDemoBodySchema,
      replies: { 200: filledDemoSchema },
      errors: ['admin_unauthorized', 'invalid_request', 'invalid_json', 'conflict', 'unavailable'],
      handle: async ({ actor }: AdminCaller, call) => {
        call.keepOpen()
        const isDry = call.body.dry_run === true
        const { teamPage, ...counts } = isDry ? desk.preview() : await desk.fill(actor)
        const filled: FilledDemo = {
          applied: !isDry,
          why_not: isDry ? desk.whyNot() : null,
          ...counts,
          team_page: teamPage,
          ...moment(),
        }
        return answer(filled)
      },
    }),
  ]
}
