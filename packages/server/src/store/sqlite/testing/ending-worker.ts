// Replaces the store's own thread: it opens and then ends, in the way that its first statement names.

declare const self: Worker

self.onmessage = () => {
  self.postMessage({ ready: true })
  self.onmessage = ({ data: { name } }: MessageEvent<{ name: string }>) => {
    if (name === 'throw') throw new Error('A bug in the thread.')
    if (name === 'exit') process.exit(3)
    // Any other is never answered.
  }
}
