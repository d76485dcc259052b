// Search.
import { PageHead } from '../../../show/page-head.tsx'

export function SearchScreen() {
  return <PageHead title="Search" />
}
