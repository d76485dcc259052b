// What the routes of all endpoints are made from: the four runners, and what they ask of the rest of the server.
import type { Announcement } from '../../directory/announcements.ts'
import type { VideoTask } from '../../ledger/video-task.ts'
import type { OwnerRecords } from '../../limits/owner-records.ts'
import type { EncodeMp3 } from '../../media/mp3-encoder.ts'
import type { CallsReader } from '../../record/calls-reader.ts'
import type { CoverageReader } from '../../record/coverage-reader.ts'
import type { Store } from '../../store/store.ts'
import type { MediaUpstream, VideoRelay, VideoUpstream } from '../../upstream/media-port.ts'
import type { GeminiRelay } from '../../upstream/relay-port.ts'
import type { VideoFiles } from '../../videos/folder-files.ts'
import type { NoteProgress } from '../../videos/note-progress.ts'
import type { TurnDependencies } from '../conversation/answer-turn.ts'
import type { EventDependencies } from '../flow/check-event.ts'
import type { RunFreeCall } from '../flow/free-call.ts'
import type { RunPaidOrder } from '../flow/paid-order.ts'

export type EndpointParts = TurnDependencies &
  Pick<EventDependencies, 'event'> & {
    readonly paidOrder: RunPaidOrder
    readonly freeCall: RunFreeCall
    readonly records: Pick<OwnerRecords, 'keyInfo' | 'teamInfoInForce'>
    readonly announcements: () => readonly Announcement[]
    readonly calls: Pick<CallsReader, 'readOwn' | 'findOwn'>
    readonly coverage: Pick<CoverageReader, 'read'>
    readonly media: MediaUpstream
    readonly encodeMp3: EncodeMp3
    readonly relay: GeminiRelay
    readonly videoUpstream: VideoUpstream
    readonly videoRelay: VideoRelay
    readonly videoReads: Pick<
      Store['read'],
      'readVideoTask' | 'listVideoTasks' | 'readUpstreamOperation' | 'readUpstreamFile'
    >
    readonly videoWrites: Pick<Store['write'], 'hideVideoTask'>
    readonly videoFiles: Pick<VideoFiles, 'read' | 'remove'>
    readonly noteProgress: NoteProgress
    /** Called where the store has a copy on record that is not found, or cannot be asked for; `error` is null where it is not found. */
    readonly reportMissingCopy: (task: VideoTask, error: unknown) => void
    /** Called where the file of a deleted video could not be removed. */
    readonly reportLeftCopy: (task: VideoTask, error: unknown) => void
    /** The gateway's address for clients, without a slash at its end; known once the door is open. */
    readonly publicUrl: () => string
  }
