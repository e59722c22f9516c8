import { pluralIn } from '../../../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('pt-BR')

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  names: { 'google-drive': 'Google Drive', dropbox: 'Dropbox', onedrive: 'OneDrive' },
  from: (name) => `Do ${name}`,
  title: (name) => `Arquivos no ${name}`,
  close: 'Fechar',
  connect: 'Conectar',
  notConnected: 'Este armazenamento não está conectado.',
  refused: 'O armazenamento não foi conectado porque o acesso foi negado.',
  search: 'Buscar por nome',
  find: 'Buscar',
  back: 'Voltar',
  files: 'Arquivos',
  nothing: 'Esta pasta está vazia.',
  more: 'Carregar mais',
  addFiles: (count) => `Adicionar ${plural(count, 'arquivo', 'arquivos')}`,
  busy: 'Aguarde…',
  disconnect: 'Desconectar',
  importFailed: 'Não foi possível importar os arquivos do armazenamento.',
  saveTo: (name) => `Salvar no ${name}`,
  saveAllTo: (name) => `Salvar tudo no ${name}`,
  saveHere: (count) => `Salvar ${plural(count, 'resultado', 'resultados')} aqui`,
  saved: (name) => `Salvo no ${name}.`,
  folders: 'Pastas',
  noFolders: 'Não há outras pastas nesta pasta.',
  saveFailed: 'Não foi possível salvar os resultados no armazenamento.',
}

export default words
