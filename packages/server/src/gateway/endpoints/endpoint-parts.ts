// The dependencies of all endpoint routes: the four runners, and what they need from the rest of the server.
import type { Directory } from '../../directory/create-directory.ts'
import type { Ledger } from '../../limits/open-ledger.ts'
import type { EncodeMp3 } from '../../media/mp3-encoder.ts'
import type { Records } from '../../record/open-records.ts'
import type { Store } from '../../store/store.ts'
import type { Upstreams } from '../../upstream/open-upstreams.ts'
import type { Videos } from '../../videos/open-videos.ts'
import type { TurnDependencies } from '../conversation/answer-turn.ts'
import type { RunFreeCall } from '../flow/free-call.ts'
import type { RunPaidOrder } from '../flow/paid-order.ts'

export type EndpointParts = TurnDependencies &
  Pick<Directory, 'event' | 'announcements'> &
  Pick<Ledger, 'records'> &
  Pick<Records, 'calls' | 'coverage'> &
  Pick<Upstreams, 'media' | 'relay' | 'video' | 'videoRelay'> & {
    readonly paidOrder: RunPaidOrder
    readonly freeCall: RunFreeCall
    readonly encodeMp3: EncodeMp3
    readonly videos: Videos
    readonly videoWrites: Pick<Store['write'], 'hideVideoTask'>
    /** The gateway's address for clients, without a trailing slash; known once the door is open. */
    readonly publicUrl: () => string
  }
