// Types of the client. Messages and channels have all fields of Discord's API; those that tests ask for are named.

export interface Message {
  id: string; channel_id: string; content: string; name: string; ephemeral: boolean;
  author: { id: string; username: string; bot: boolean };
  embeds: Record<string, any>[]; components: Record<string, any>[]; attachments: Record<string, any>[];
  /** Ids of users by emoji. */
  reacted: Record<string, string[]>;
  [field: string]: any;
}
export interface Channel { id: string; type: number; name?: string; [field: string]: any }
export interface Guild { id: string; name: string; channels: Channel[]; [field: string]: any }
export interface Role { id: string; name: string; permissions: string; [field: string]: any }
export interface Bot { id: string; name: string; token: string }
export interface Interaction {
  id: string; type: number; name: string; responded: boolean;
  answer: Record<string, any> | null; message: Message | null;
}
export interface TwinRequest {
  number: number; at: number; method: string; path: string; route: string; status: number; code: number;
  why: string; scope: string; faults: string[]; channel_id: string | null; message_id: string | null; body: any;
}
export interface TwinEvent { number: number; at: number; name: string; bot_id: string; message_id: string | null; data: any }
export interface Fault { kind: string; about: string; routes: string[]; [field: string]: any }
export type Ref = string | { id: string };
export interface StartOptions { command?: string | string[]; limits?: boolean; asOf?: string; args?: string[] }
export interface FaultOptions {
  routes?: string[]; after?: number; times?: number; status?: number; code?: number; field?: string; seconds?: number;
  body?: string; permission?: string; resumable?: boolean; channel?: Ref;
}

export class TwinError extends Error { status: number }

export class Twin {
  static connect(url?: string): Promise<Twin>;
  static start(options?: StartOptions): Promise<Twin>;
  readonly url: string;
  readonly info: { api: string; gateway: string; guild_id: string; channel: Channel; user: { id: string; username: string }; bots: Bot[]; [field: string]: any };
  readonly token: string;
  readonly restApi: string;
  readonly env: Record<string, string>;
  stop(): Promise<void>;
  reset(): Promise<void>;
  configure(options: Record<string, string | number | boolean>): Promise<Record<string, any>>;
  advance(seconds: number): Promise<{ now: number; speed: number | null; advanced: number }>;
  speed(factor: number): Promise<{ now: number; speed: number | null; advanced: number }>;
  saveState(): Promise<Record<string, any>>;
  loadState(state: Record<string, any>): Promise<{ ids: Record<string, string>; messages: number }>;
  addGuild(name: string, more?: Record<string, any>): Promise<Guild>;
  addChannel(name: string, more?: Record<string, any>): Promise<Channel>;
  addRole(name: string, more?: Record<string, any>): Promise<Role>;
  addBot(name: string, more?: Record<string, any>): Promise<Bot>;
  permissions(given: { channel?: Ref; user?: Ref; role?: string; allow?: string[]; deny?: string[] }): Promise<Channel>;
  user(name?: string, more?: Record<string, any>): Promise<User>;
  messages(channel?: Ref): Promise<Message[]>;
  requests(query?: { route?: string; status?: number; after?: number; limit?: number }): Promise<TwinRequest[]>;
  events(query?: { name?: string; after?: number; limit?: number }): Promise<TwinEvent[]>;
  pings(): Promise<{ message_id: string; channel_id: string; kind: string; user_ids: string[] }[]>;
  history(message: Ref): Promise<{ requests: TwinRequest[]; events: TwinEvent[] }>;
  nextMessage(options?: { channel?: Ref; timeout?: number }): Promise<Message>;
  ready(timeout?: number): Promise<{ bots: string[] }>;
  commands(name?: string, timeout?: number): Promise<string[]>;
  quiet(seconds?: number, timeout?: number): Promise<{ number: number; requests: number }>;
  waitForMessage(contains: string, more?: { channel?: Ref; after_message?: string; timeout?: number }): Promise<Message>;
  waitForRequests(given: { route?: string; status?: number; after?: number; count?: number; timeout?: number }): Promise<TwinRequest[]>;
  waitForEvents(given: { name?: string; after?: number; count?: number; timeout?: number }): Promise<TwinEvent[]>;
  answered(interaction: Ref, timeout?: number): Promise<Interaction>;
  fault(kind: string, more?: FaultOptions): Promise<Fault>;
  clearFaults(): Promise<void>;
  dropGateway(code?: number): Promise<{ connections: number }>;
  outage(seconds: number): Promise<{ seconds: number }>;
}

export class User {
  readonly twin: Twin;
  readonly id: string;
  readonly name: string;
  readonly mention: string;
  in(channel: Ref): User;
  say(text: string, more?: { reply_to?: Ref; silent?: boolean; files?: Record<string, string | Uint8Array> }): Promise<Message>;
  reply(message: Message, text: string): Promise<Message>;
  react(message: Ref, emoji: string, on?: boolean): Promise<Message>;
  vote(message: Ref, answer: number): Promise<Message>;
  pin(message: Ref): Promise<Message>;
  edit(message: Ref, text: string): Promise<Message>;
  delete(message: Ref): Promise<void>;
  type(): Promise<void>;
  thread(name: string, more?: { message?: Ref; text?: string }): Promise<Channel>;
  direct(): Promise<Channel>;
  slash(name: string, options?: Record<string, any>, more?: { wait?: number }): Promise<Interaction>;
  complete(name: string, typing: string, options?: Record<string, any>): Promise<Interaction>;
  menu(name: string, target: Message | Ref): Promise<Interaction>;
  press(message: Ref, id: string, more?: { values?: string[]; wait?: number }): Promise<Interaction>;
  choose(message: Ref, id: string, ...values: string[]): Promise<Interaction>;
  submit(interaction: Ref, values: Record<string, any>, more?: { wait?: number }): Promise<Interaction>;
}
