// Starts what tells organisers that they are needed: the conditions of the moment, and the webhooks that carry them.
import { randomBytes } from 'node:crypto'
import type { Settings } from '../config/settings-file.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { Log } from '../http/log.ts'
import { Attention, type AttentionDependencies } from '../insight/attention/attention.ts'
import type { RecentFigures } from '../insight/start-recent-figures.ts'
import { createSecretSeal } from '../operate/notices/secret-seal.ts'
import { WebhookDesk } from '../operate/notices/webhook-desk.ts'
import { WebhookSender } from '../operate/notices/webhook-sender.ts'
import type { DiskWatch } from '../operate/readiness/watch-disk.ts'
import { unlessReported } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import type { Upstreams } from '../upstream/create-upstreams.ts'
import { resolveHost } from '../upstream/remote-media/find-public-address.ts'
import { isUpstreamFailure } from '../upstream/upstream-tries.ts'
import { every } from '../world/timers.ts'

export type AttentionParts = Pick<AttentionDependencies, 'limits' | 'ledger' | 'wrongTotals' | 'clock'> & {
  readonly directory: Pick<Directory, 'teams' | 'event' | 'unchargedOf'>
  readonly store: Pick<Store, 'read' | 'write'>
  readonly joinKey: Uint8Array
  readonly recent: Pick<RecentFigures, 'sumSpend' | 'coverage'>
  readonly settings: Pick<Settings, 'webhooks' | 'warn_free_mebibytes'>
  readonly upstreams: Pick<Upstreams, 'describeHealth'>
  readonly disk: Pick<DiskWatch, 'space'>
  readonly log: Pick<Log, 'warn'>
}

export type StartedAttention = {
  readonly attention: Attention
  readonly webhooks: WebhookDesk
  /** Breaks off what is being told; another process, or the next start, tells it. */
  readonly stop: () => Promise<void>
}

export function startAttention(parts: AttentionParts): StartedAttention {
  const { directory, limits, settings, upstreams, disk, ledger, wrongTotals, clock, log } = parts
  const { read, write } = parts.store
  const { sumSpend, coverage } = parts.recent
  const attention = new Attention({
    directory,
    limits,
    read: {
      sumSpend,
      listBoards: read.listBoards,
      sumQuestions: read.sumQuestions,
      listConditionStarts: read.listConditionStarts,
    },
    write,
    coverage,
    upstreams: () =>
      upstreams.describeHealth().map(({ upstream, keys, lastOutcome, recentTries }) => ({
        upstream,
        recentTries,
        failure: lastOutcome !== null && isUpstreamFailure(lastOutcome) ? lastOutcome : null,
        keys: keys.map(({ id, key, fault }) => ({ id, name: key, fault })),
      })),
    disk: () => {
      const space = disk.space()
      return space === null
        ? null
        : { freeBytes: space.freeBytes, warnBelowBytes: settings.warn_free_mebibytes * mebibyte }
    },
    ledger,
    wrongTotals,
    clock,
  })
  const sending = {
    resolve: resolveHost,
    fetch,
    allowsPrivate: settings.webhooks.allow_private_addresses,
    seal: createSecretSeal(parts.joinKey, randomBytes),
  }
  const sender = new WebhookSender({
    ...sending,
    conditions: attention.conditions,
    event: directory.event,
    read,
    write,
    clock,
    every,
    reportFailure: unlessReported(error =>
      log.warn({ err: error }, 'Webhooks could not be told; trying again in ten seconds.'),
    ),
    reportDropped: count =>
      log.warn({ events: count }, 'Events were not kept for a webhook: too many wait for it already.'),
  })
  return {
    attention,
    webhooks: new WebhookDesk({
      ...sending,
      read,
      write,
      clock,
      randomBytes,
      newId: () => Bun.randomUUIDv7(),
    }),
    stop: sender.stop,
  }
}

const mebibyte = 1024 * 1024
