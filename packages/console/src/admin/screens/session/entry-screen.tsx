// One entry as it is stored.
import { PageHead } from '../../../show/page-head.tsx'

export function EntryScreen() {
  return <PageHead title="Entry" />
}
