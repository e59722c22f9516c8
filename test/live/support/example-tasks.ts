export const tasks = {
  text: { operation: 'import/raw', filename: 'hello.md', file: '# Hello' },
  pdf: { operation: 'convert', input: 'text', output_format: 'pdf' },
  out: { operation: 'export/url', input: 'pdf' },
}
