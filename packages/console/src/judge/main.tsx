// Entry point of the judge's page.

import { signedOut } from '../frame/signed-out.ts'
import { startPage } from '../pages/start-page.tsx'
import { JudgePage } from './judge-page.tsx'

startPage({
  streamAddress: topics => `/judging/stream?topics=${encodeURIComponent(topics.join(','))}`,
  onSignedOut: signedOut.report,
  page: <JudgePage />,
})
