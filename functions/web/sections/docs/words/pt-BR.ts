import { pluralIn } from '../../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('pt-BR')

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  fromTerminal: 'Converter um arquivo em um terminal',
  title: 'Referência da API',
  events: 'Eventos: webhooks, WebSockets, streams',
  errors: 'Erros',
  search: 'Buscar operações',
  found: (count) => plural(count, 'operação', 'operações'),
  contents: 'Operações',
  about: (name) => `Introdução: ${name}`,
  toAll: 'Todas as operações',
  command: 'Exemplo de solicitação',
  parameters: 'Parâmetros',
  requestBody: 'Corpo da solicitação',
  response: 'Resposta',
  example: 'Exemplo de resposta',
  statusCodes: 'Códigos de status',
  field: 'Campo',
  type: 'Tipo',
  meaning: 'Descrição',
  status: 'Status',
  required: 'obrigatório',
  nothing: 'Nenhum.',
  locations: { path: 'caminho', query: 'consulta', header: 'cabeçalho' },
  open: 'Não exige autenticação.',
  openOr: (scopes) => `Não exige autenticação; chaves e tokens precisam de ${scopes}.`,
  needs: (scopes) => `Exige ${scopes}.`,
  authentication: 'autenticação',
  unreachable: 'Não foi possível carregar a descrição da API. Verifique a conexão e tente novamente.',
}

export default words
