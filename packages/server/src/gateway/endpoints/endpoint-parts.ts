// The dependencies of all endpoint routes: the four runners, and what they need from the rest of the server.
import type { Directory } from '../../directory/create-directory.ts'
import type { FileService } from '../../files/file-service.ts'
import type { ImageAddresses } from '../../files/image-addresses.ts'
import type { ReadFiles } from '../../files/inline-files.ts'
import type { Ledger } from '../../limits/open-ledger.ts'
import type { EncodeAudio } from '../../media/audio-encoder.ts'
import type { Records } from '../../record/open-records.ts'
import type { Store } from '../../store/store.ts'
import type { Upstreams } from '../../upstream/open-upstreams.ts'
import type { Videos } from '../../videos/open-videos.ts'
import type { TurnDependencies } from '../conversation/answer-turn.ts'
import type { RunFreeCall } from '../flow/free-call.ts'
import type { RunPaidOrder } from '../flow/paid-order.ts'

export type EndpointParts = TurnDependencies &
  Pick<Directory, 'event' | 'announcements' | 'keysOfTeam' | 'findMember'> &
  Pick<Ledger, 'records'> &
  Pick<Records, 'calls' | 'coverage'> &
  Pick<Upstreams, 'media' | 'messages' | 'askInTurn' | 'relay' | 'video' | 'videoRelay'> & {
    readonly paidOrder: RunPaidOrder
    readonly freeCall: RunFreeCall
    readonly encodeAudio: EncodeAudio
    readonly videos: Videos
    readonly files: FileService
    readonly images: ImageAddresses
    readonly readFiles: ReadFiles
    readonly videoWrites: Pick<Store['write'], 'hideVideoTask'>
    /** The gateway's address for clients, without a trailing slash; known once the door is open. */
    readonly publicUrl: () => string
  }
