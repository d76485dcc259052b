// A QR code as dots of one path, dark on white in both themes, since phones read no other.
import encodeQR from 'qr'
import { useMemo } from 'react'

/** `label`: for those who do not see it. */
export function QrCode({
  text,
  label,
  className,
}: {
  readonly text: string
  readonly label: string
  readonly className: string
}) {
  const path = useMemo(() => {
    const rows = encodeQR(text, 'raw', { border: 2 })
    const dots = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    return { d: dots.join(''), size: rows.length }
  }, [text])
  return (
    <svg className={className} viewBox={`0 0 ${path.size} ${path.size}`} role="img" aria-label={label}>
      <rect width={path.size} height={path.size} fill="#fff" />
      <path d={path.d} fill="#000" />
    </svg>
  )
}
