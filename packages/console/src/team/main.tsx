// Entry point of the team page.

import { signedOut } from '../frame/signed-out.ts'
import { startPage } from '../pages/start-page.tsx'
import { TeamPage } from './team-page.tsx'

startPage({
  streamAddress: () => '/self/stream',
  onSignedOut: signedOut.report,
  page: <TeamPage />,
})
