// Loads the video files: real H.264 in MP4, 24 frames per second, one colour, in packages/sandbox/assets.
//
// They were made once with Debian's ffmpeg 5.1, for each size and length:
//   ffmpeg -f lavfi -i color=c=0x203040:s=1280x720:r=24:d=8 -c:v libx264 -preset medium -profile:v high
//     -pix_fmt yuv420p -bf 0 -g 250 -bsf:v filter_units=remove_types=6 -fflags +bitexact -flags:v +bitexact
//     -map_metadata -1 -movflags +faststart 1280x720-8s.mp4
import type { VideoFile } from './operations.ts'

const loaded = new Map<string, Uint8Array<ArrayBuffer>>()

export async function loadVideo({ width, height, seconds }: VideoFile): Promise<Uint8Array<ArrayBuffer>> {
  const name = `${width}x${height}-${seconds}s.mp4`
  const known = loaded.get(name)
  if (known !== undefined) return known
  const video = await Bun.file(new URL(`../../assets/${name}`, import.meta.url)).bytes()
  loaded.set(name, video)
  return video
}
