// The seed of all draws, as text or thrown with dice in front of everybody.
import { Dice1, Dice2, Dice3, Dice4, Dice5, Dice6, Dices } from 'lucide-react'
import { IconButton } from '../../../show/icon-button.tsx'
import { TextField } from '../../../show/text-field.tsx'

const faces = [Dice1, Dice2, Dice3, Dice4, Dice5, Dice6]
/** 46,656 different throws, so throwing until a deal suits somebody takes too long to go unnoticed. */
const diceCount = 6

export function SeedField({
  value,
  error,
  isLocked,
  onChange,
}: {
  readonly value: string
  readonly error: string | undefined
  readonly isLocked: boolean
  readonly onChange: (seed: string) => void
}) {
  const thrown = /^[1-6]( [1-6])*$/.test(value) ? value.split(' ').slice(0, 20) : []
  return (
    <div className="stack-tight">
      <div className="row seed-row">
        <TextField
          label="Seed"
          description="All draws follow from it, so that everybody can check them"
          className="grow"
          value={value}
          maxLength={100}
          disabled={isLocked}
          error={error}
          onChange={onChange}
        />
        <IconButton icon={Dices} disabled={isLocked} onClick={() => onChange(throwDice())}>
          Throw dice
        </IconButton>
      </div>
      {thrown.length === 0 ? null : (
        <span className="dice" role="img" aria-label={`Dice: ${value}`} data-dice>
          {thrown.map((face, at) => {
            const Face = faces[Number(face) - 1] ?? Dice1
            // biome-ignore lint/suspicious/noArrayIndexKey: dice have no other name, and all of them change together.
            return <Face key={at} size={34} strokeWidth={2} aria-hidden />
          })}
        </span>
      )}
    </div>
  )
}

/** `4 2 6 1 3 5`. Bytes from 252 on are thrown again, because they would favour small faces. */
function throwDice(): string {
  const dice: number[] = []
  while (dice.length < diceCount) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < 252) dice.push((byte % 6) + 1)
  }
  return dice.join(' ')
}
