// Entry point of the organisers' console.

import { signedOut } from '../frame/signed-out.ts'
import { startPage } from '../pages/start-page.tsx'
import { ConsolePage } from './console-page.tsx'

startPage({
  streamAddress: topics => `/stream?topics=${encodeURIComponent(topics.join(','))}`,
  onSignedOut: signedOut.report,
  page: <ConsolePage />,
})
