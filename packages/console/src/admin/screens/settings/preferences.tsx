// Preferences that are stored only in this browser.
import { SegmentedControl, Switch, useMantineColorScheme } from '@mantine/core'
import { useState } from 'react'
import { areSingleKeysOn, setSingleKeys } from '../../../frame/hotkeys.tsx'
import { Card } from '../../../show/card.tsx'

export function Preferences() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const [hasKeys, setHasKeys] = useState(areSingleKeysOn)
  return (
    <Card title="This browser" note="Stored only in this browser">
      <div className="stack">
        <div className="row wrap">
          <span>Theme</span>
          <SegmentedControl
            aria-label="Theme"
            value={colorScheme}
            onChange={value => setColorScheme(value as typeof colorScheme)}
            data={[
              { value: 'auto', label: 'System' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
          />
        </div>
        <Switch
          label="Single-letter shortcuts"
          description="Such as g t for Teams. Press ? for the list."
          checked={hasKeys}
          onChange={event => {
            setSingleKeys(event.currentTarget.checked)
            setHasKeys(event.currentTarget.checked)
          }}
        />
      </div>
    </Card>
  )
}
