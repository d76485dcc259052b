// The questions that the stream tells of: all that wait, and the last ones that were answered.
import type { Directory } from '../directory/create-directory.ts'
import { buildQuestionRecord } from '../directory/questions.ts'
import type { Store } from '../store/store.ts'

export type QuestionsSourceDependencies = {
  readonly read: Pick<Store['read'], 'countAnnouncementReads' | 'listQuestions'>
  readonly directory: Pick<Directory, 'findMember' | 'findTeam' | 'teams'>
}

const mostWaiting = 1000
const mostAnswered = 100

/** Id → JSON, as `GET /questions` shows it. Rejects with StoreUnavailable. */
export async function readQuestions({
  read,
  directory,
}: QuestionsSourceDependencies): Promise<(readonly [string, string])[]> {
  const all = { teamId: null, after: null } as const
  const [waiting, answered] = await Promise.all([
    read.listQuestions({ ...all, state: 'waiting', order: 'oldest first', limit: mostWaiting }),
    read.listQuestions({ ...all, state: 'answered', order: 'newest first', limit: mostAnswered }),
  ])
  return [...waiting, ...answered].map(row => [
    row.question_id,
    JSON.stringify(buildQuestionRecord(row, directory)),
  ])
}
