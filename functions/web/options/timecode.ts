/** Parses `0:01:02.5` or a number of seconds. @returns seconds; undefined if the text is not a time (yet) */
export function parseTimecode(text: string): number | undefined {
  if (!/^(?:\d+:){0,2}\d+(?:\.\d*)?$/.test(text.trim())) return undefined
  return text
    .trim()
    .split(':')
    .reduce((sum, component) => sum * 60 + Number(component), 0)
}

/** Formats a time with tenths of a second; people cannot select a time more precisely by hand. */
export function formatTimecode(seconds: number): string {
  const tenths = Math.round(seconds * 10)
  const padToTwoDigits = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const tenthsInMinute = tenths % 600
  const end = `${padToTwoDigits(tenthsInMinute / 10)}${tenthsInMinute % 10 === 0 ? '' : `.${tenthsInMinute % 10}`}`
  const minutes = Math.floor(tenths / 600)
  return minutes < 60
    ? `${minutes}:${end}`
    : `${Math.floor(minutes / 60)}:${padToTwoDigits(minutes % 60)}:${end}`
}
