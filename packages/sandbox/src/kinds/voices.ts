// The vendor's thirty voices. Here each one is a different tone.
import { invalid } from '../json.ts'

const voices = [
  'Zephyr',
  'Puck',
  'Charon',
  'Kore',
  'Fenrir',
  'Leda',
  'Orus',
  'Aoede',
  'Callirrhoe',
  'Autonoe',
  'Enceladus',
  'Iapetus',
  'Umbriel',
  'Algieba',
  'Despina',
  'Erinome',
  'Algenib',
  'Rasalgethi',
  'Laomedeia',
  'Achernar',
  'Alnilam',
  'Schedar',
  'Gacrux',
  'Pulcherrima',
  'Achird',
  'Zubenelgenubi',
  'Vindemiatrix',
  'Sadachbia',
  'Sadaltager',
  'Sulafat',
]

const lowest = 60

/** The samples of one wave of this voice. Throws VendorError 400 for an unknown voice. */
export function findPeriod(name: string): number {
  const index = voices.findIndex(voice => voice.toLowerCase() === name.toLowerCase())
  if (index >= 0) return lowest + 2 * index
  throw invalid(
    `Voice name ${name} is not supported. Allowed voice names are: ${voices.map(voice => voice.toLowerCase()).join(', ')}`,
  )
}
