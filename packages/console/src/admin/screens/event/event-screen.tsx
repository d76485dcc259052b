// Event.
import { PageHead } from '../../../show/page-head.tsx'

export function EventScreen() {
  return <PageHead title="Event" />
}
