// Settings.
import { PageHead } from '../../../show/page-head.tsx'

export function SettingsScreen() {
  return <PageHead title="Settings" />
}
