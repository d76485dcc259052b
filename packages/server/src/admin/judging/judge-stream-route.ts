// GET /judging/stream: what changes for a judge of the panel, as server-sent events.

import { maxTopics } from '@fairgate/contracts/console/stream.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import {
  judgeStreamEventSchema,
  judgeStreamQuerySchema,
  judgeTopics,
} from '@fairgate/contracts/judging/reading.ts'
import { refuseValue } from '../../directory/refusals.ts'
import { namePanelTopic } from '../../insight/panel-sources.ts'
import { readSessionTopic } from '../../insight/watch-sessions.ts'
import type { Disguise } from '../../judging/disguise.ts'
import { requireRole } from '../../people/roles.ts'
import { liveHeaders, readLastId, serveLive } from '../../people/serve-live.ts'
import { judgeOf } from '../authenticate-admin.ts'
import { type AdminRoute, lookupRoute, type Management } from '../management-route.ts'

export function judgeStreamRoute({ feed, judging, access }: Management): AdminRoute {
  return lookupRoute({
    tag: 'Judging',
    openTo: 'panel',
    path: '/judging/stream',
    summary: 'Follow what changes for you, as server-sent events',
    description: 'Works like `GET /stream`, with topics of its own.',
    query: judgeStreamQuerySchema,
    headers: liveHeaders,
    reply: judgeStreamEventSchema,
    replyHeaders: ['cache-control', 'x-accel-buffering'],
    errors: ['invalid_request', 'team_not_found', 'too_many_streams', 'unavailable'],
    isStrict: true,
    keepsOpen: true,
    look: async ({ topics: text }, call, caller) => {
      const judgeId = judgeOf(caller)
      const topics = readTopics(text, judging.disguises.of(await judging.log.state()))
      const reader = await feed.open(
        new Set([...topics].map(topic => namePanelTopic(topic, judgeId))),
        readLastId(call),
        { owner: caller.session?.cookie ?? caller.credential, address: call.remoteAddress },
      )
      // The caller is checked repeatedly, because a stream can outlast its session.
      return serveLive(call, reader, access.every, async () =>
        requireRole(await access.authenticate(call.request), 'panel'),
      )
    },
  })
}

/** Throws ApiError `invalid_request`, `team_not_found`. */
function readTopics(text: string, { findTeam }: Pick<Disguise, 'findTeam'>): ReadonlySet<string> {
  const topics = new Set(text.split(','))
  for (const topic of topics) {
    const session = readSessionTopic(topic)
    if (session !== null) {
      if (findTeam(session.teamId) === null) throw new ApiError('team_not_found', { param: 'topics' })
    } else if (topic.endsWith(':') || !Object.hasOwn(judgeTopics, topic))
      throw refuseValue(
        'topics',
        `there is no topic "${topic}". Topics: ${Object.keys(judgeTopics).join(', ')}.`,
      )
  }
  if (topics.size > maxTopics) throw refuseValue('topics', `at most ${maxTopics} topics are allowed.`)
  return topics
}
