// Says whether `init` was run for a repository, so that its events are recorded there.
import { join } from 'node:path'
import type { Repository } from '../git/find-repository.ts'
import type { ReadText } from '../git/read-text.ts'
import { recorderFolder } from '../spool/layout.ts'

export function isSetUp({ commonFolder }: Repository, readText: ReadText): boolean {
  return readText(join(recorderFolder(commonFolder), 'fairgate-recorder')) !== null
}
