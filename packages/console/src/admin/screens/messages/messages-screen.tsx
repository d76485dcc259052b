// Messages.
import { PageHead } from '../../../show/page-head.tsx'

export function MessagesScreen() {
  return <PageHead title="Messages" />
}
