export const tasks = {
  text: { operation: 'import/raw', filename: 'a.txt', file: 'words' },
  pdf: { operation: 'convert', input: 'text', output_format: 'pdf' },
  out: { operation: 'export/url', input: 'pdf' },
}
