// @generated from api/hub.json by `npm run api`
export interface paths {
    "/api/v1/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Devices that have a token of their own */
        get: operations["devices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take back the token of a device
         * @description It opens nothing from now on, and what the device follows ends.
         */
        delete: operations["revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow events (server-sent events)
         * @description `session`, `state_change`, `session_forgotten`, `pty_permission`, `pty_permission_resolved` and `rules`. The id of an
         *     event is `generation:sequence`. With `Last-Event-ID` the stream goes on after that event; the first message then is
         *     `resume`, with `ok`, or `gap` and how many events were lost: read the board again then. A restart of the hub is no gap.
         */
        get: operations["events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the hub is well */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who answered what, when, and from where */
        get: operations["history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/hooks/{event}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A hook of an agent calls
         * @description The body is what the agent gave the hook, as it is; the reply is what the hook prints, or empty with status 204. It
         *     may take as long as a person does to answer.
         */
        post: operations["hook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/hosts/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Be on the board, from another machine
         * @description For sidecars (`COOP_HUB_URL`). From then on the hub is the client of this connection, in HTTP/2: each `CONNECT` is a
         *     stream of bytes as a connection to the sidecar's own socket would be. The session is on the board for as long as it
         *     lasts.
         */
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notify/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tell everybody something, to see whether it arrives */
        post: operations["test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pair": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a code for a token
         * @description Needs no token: the code is enough, once. The token is in this reply and in no other. A `browser` gets it in two halves:
         *     a cookie that no script can read, and a `key` for the storage of the page.
         */
        post: operations["pair"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pair/codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a code for a new device
         * @description Whoever sends it to `POST /api/v1/pair` within five minutes gets a token, once. `coop pair` shows it as a QR code.
         */
        post: operations["new_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/prompts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Everything that waits for an answer, oldest first */
        get: operations["prompts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/prompts/{id}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer one
         * @description The first answer wins; whoever comes second is told who was first. `delivered` means that the agent goes on with it.
         */
        post: operations["answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/push/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The key that browsers subscribe with */
        get: operations["key"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/push/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Be told of what is asked, by Web Push
         * @description The body is what a browser says of its subscription. One that is there already is replaced.
         */
        post: operations["subscribe"];
        /** Be told no more */
        delete: operations["unsubscribe"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Standing rules, and what sessions remember */
        get: operations["rules"];
        /** Add a standing rule; one that is there already stays */
        put: operations["put_rule"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rules/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Would this be allowed, and by which rule */
        post: operations["test_rules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove one */
        delete: operations["delete_rule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where something was said or done
         * @description In sessions that run or have ended, in what they asked, and in their conversations, as far as their agents keep them in
         *     files that the hub knows of.
         */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The agents, who needs a person first */
        get: operations["sessions"];
        put?: never;
        /**
         * Start a session
         * @description The agent runs under coop on the machine of the hub, and is `owned`. The reply comes when it is on the board.
         */
        post: operations["start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One of them, by its `id` or by the agent's own id of the conversation */
        get: operations["session"];
        put?: never;
        post?: never;
        /** End a session that runs under coop */
        delete: operations["end"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/conversation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was said and done in a session
         * @description From its sidecar where it has one, and else from the log that its agent keeps.
         */
        get: operations["conversation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Forget what a session remembers of a person's answers */
        delete: operations["clear_permissions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on with a session that has ended
         * @description It is started again, under coop, with the conversation it had, and keeps its number.
         */
        post: operations["resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/seen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A person has looked at it */
        post: operations["seen"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What state a session was in, and why that was believed */
        get: operations["timeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/shutdown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the hub
         * @description Agents go on as if it had never been. Hooks that wait ask the next hub, if one comes within 30 seconds.
         */
        post: operations["shutdown"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What happened to an agent, in fewer words
         * @description `event_type` is `session_start`, `prompt_submit`, `tool_start`, `tool_call` or `stop`. The rest is what the hook was
         *     told: `session_id`, `cwd`, `tool_name`, `tool_input`, `transcript_path`, `git_branch`, and the `error` of a stop.
         */
        post: operations["event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rpc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * JSON-RPC 2.0
         * @description `permission/request` asks, and is answered when somebody has decided; `permission/respond` decides;
         *     `permission/pending` lists what waits.
         */
        post: operations["call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the board, and answer (WebSocket)
         * @description The first message is `hello`, with the `generation` and `seq` that events are counted by; then come the events of
         *     `/api/v1/events`, each with its `id`. With `last_event_id` the stream goes on after that event, and `resume` says
         *     whether it can. What the client sends are calls of `/rpc`; their replies have no `type`. Where a token is needed and
         *     was not sent otherwise, the first message of the client is `{"type": "auth", "token": "…"}`. Calls for which the
         *     token is not good enough are refused one by one. When it is taken back, the connection is closed with 4401.
         */
        get: operations["connect"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Answer: {
            /**
             * @description Counted from 1.
             * @default []
             */
            options: number[];
            /** @default null */
            text: string | null;
        };
        Answered: {
            /** Format: int64 */
            id: number;
            /** @description Whether it is certain that the agent has it. */
            delivered: boolean;
            /** @description `permission`, `plan`, `question` or `setup`. */
            prompt_type: string;
            /** @description `hook` or `keys`. */
            via: string;
            /** @description Why it is not certain. */
            reason?: string | null;
            /** @description For how long it counts: `once`, `session` or `path`, which is the project. */
            scope: string;
            /** @description What is remembered of it. */
            remembered?: string | null;
        };
        Cleared: {
            /**
             * Format: int64
             * @description How many patterns were forgotten, or rules removed.
             */
            cleared: number;
        };
        /**
         * @description The codes of the API. They never change their meaning.
         * @enum {string}
         */
        Code: "NOT_READY" | "EXITED" | "WRITER_BUSY" | "UNAUTHORIZED" | "FORBIDDEN" | "BAD_REQUEST" | "NOT_FOUND" | "TOO_LARGE" | "RATE_LIMITED" | "INPUT_STALLED" | "OUT_OF_RANGE" | "NO_DRIVER" | "AGENT_BUSY" | "NO_PROMPT" | "DRAFT_PRESENT" | "RESTARTING" | "START_FAILED" | "UNSUPPORTED" | "INTERNAL";
        /** @description What the model had before it with the last request. */
        Context: {
            /**
             * Format: int64
             * @default 0
             */
            tokens: number;
            /**
             * Format: int64
             * @description The most that it can hold, where the vendor says so.
             * @default null
             */
            window: number | null;
        };
        /** @description One thing that was said or done. */
        ConversationEntry: {
            /**
             * @description `user`, `assistant`, `thinking`, `tool_call`, `tool_result`, `image`, `interrupted`, `error`, `compaction` or
             *     `unknown`.
             * @default
             */
            kind: string;
            /**
             * Format: int64
             * @description Line of the agent's log, from 0, and place within it.
             * @default 0
             */
            line: number;
            /**
             * Format: int32
             * @default 0
             */
            index: number;
            /** @default null */
            id: string | null;
            /** @default null */
            timestamp: string | null;
            /**
             * @description Set when a subagent did it.
             * @default null
             */
            agent: string | null;
            /** @default null */
            text: string | null;
            /** @default null */
            tool: string | null;
            /**
             * @description Connects a result with its call.
             * @default null
             */
            tool_id: string | null;
            /** @description Input of the tool, as JSON. */
            input?: unknown;
            /** @default false */
            is_error: boolean;
            /** @description A line whose meaning is not known, as JSON. */
            value?: unknown;
            /**
             * @description Of an image: what it is, and its bytes in base64 where they were asked for and are not too many.
             * @default null
             */
            media_type: string | null;
            /** @default null */
            data: string | null;
        };
        Cost: {
            /**
             * Format: double
             * @default 0
             */
            usd: number;
            /**
             * @description At least a part of it was not said by the agent, but is from a table of prices.
             * @default false
             */
            estimate: boolean;
        };
        /** @description Somebody with a token of their own. */
        Device: {
            /**
             * Format: int64
             * @description Counts up from 1; never used again.
             */
            id: number;
            name: string;
            /** @description `hooks`, `view`, `answer`, `drive` or `admin`. */
            scope: string;
            /**
             * Format: int64
             * @description Milliseconds since 1970.
             */
            added_ms: number;
        };
        Devices: {
            devices: components["schemas"]["Device"][];
        };
        GetConversationResponse: {
            /** @default null */
            session_id: string | null;
            /** @default [] */
            entries: components["schemas"]["ConversationEntry"][];
            /**
             * Format: int64
             * @description Ask with this as `after` for what comes next.
             * @default 0
             */
            next: number;
            /**
             * @description Whether there is more now.
             * @default false
             */
            more: boolean;
            /** @default null */
            usage: components["schemas"]["Usage"] | null;
            /** @default null */
            cost: components["schemas"]["Cost"] | null;
        };
        History: {
            /** @description The newest first. */
            history: components["schemas"]["Settled"][];
        };
        /** @description From here on it was in this state. */
        Moment: {
            state: string;
            /**
             * Format: int64
             * @description Milliseconds since 1970.
             */
            at_ms: number;
            /** @description Why it was believed, and what it rests on. */
            reason: string;
            source?: string | null;
        };
        /** @description A code for a new device. */
        NewCode: {
            /**
             * @description What the device may do: `view`, `answer` [default], `drive`, `admin`, or `hooks` for an agent elsewhere.
             * @default null
             */
            scope: string | null;
            /**
             * @description What it is called here. Without it, the device says.
             * @default null
             */
            name: string | null;
        };
        NewRule: {
            /** @default  */
            pattern: string;
            /**
             * @description `allow`, `deny` or `ask`.
             * @default
             */
            effect: string;
            /**
             * @description Only in this folder and below: a path from the root, and not the root itself.
             * @default null
             */
            project: string | null;
            /**
             * @description Only for sessions of this machine. Without it for the machine of the hub, with `*` for all machines.
             * @default null
             */
            host: string | null;
        };
        /** @description A session to be started. */
        NewSession: {
            /**
             * @description `claude`, `codex` or `gemini`.
             * @default
             */
            agent: string;
            /**
             * @description The folder it is to work in, from the root.
             * @default
             */
            cwd: string;
            /**
             * @description For the agent.
             * @default []
             */
            args: string[];
            /**
             * @description In addition to what the hub has.
             * @default {}
             */
            env: {
                [key: string]: string;
            };
            /**
             * @description What it is called, for example by `coop attach`. Without it, it gets one.
             * @default null
             */
            name: string | null;
        };
        PairCode: {
            /** @description Good once. */
            code: string;
            /**
             * Format: int64
             * @description Milliseconds since 1970.
             */
            expires_ms: number;
            scope: string;
        };
        PairRequest: {
            /**
             * @description However it is typed: small letters, with or without the dash.
             * @default
             */
            code: string;
            /**
             * @description What the device is to be called, unless that was said with the code.
             * @default null
             */
            name: string | null;
            /**
             * @description Give the token in two halves: a cookie that no script can read, and the `key` of the reply.
             * @default false
             */
            browser: boolean;
        };
        Paired: {
            /** @description To be sent as `Authorization: Bearer TOKEN`. It is in no other reply. Empty for a browser. */
            token: string;
            /** @description The half of the token of a browser that its page keeps and sends as `Coop-Key`; the other half is its cookie. */
            key?: string | null;
            device: components["schemas"]["Device"];
        };
        /** @description The body of a failed HTTP request (RFC 9457), and the details of a gRPC status. */
        Problem: {
            type: string;
            title: string;
            /** Format: int32 */
            status: number;
            code: components["schemas"]["Code"];
            detail: string;
            hint?: string | null;
        };
        /** @description Something that waits for an answer. */
        Prompt: {
            /** Format: int64 */
            id: number;
            /**
             * Format: int64
             * @description The `id` of the session.
             */
            session: number;
            /** @description The agent's own id of the conversation. */
            session_id: string;
            /** @description `permission`, `plan`, `question` or `setup`. */
            kind: string;
            tool: string;
            tool_use_id?: string | null;
            /** @description The whole input of the tool, as the agent wrote it. */
            input: unknown;
            /** @description All of what is asked, for people: what would hide is made visible. */
            text: string;
            cwd: string;
            project?: string | null;
            /** @description What can be answered by number, counted from 1. */
            options: components["schemas"]["PromptChoice"][];
            /** @description Each needs an answer, where there are any. */
            questions?: components["schemas"]["PromptQuestion"][];
            /** @description What would be remembered if it were answered for longer than once. Nothing: it can only be answered once. */
            suggestion?: string | null;
            /**
             * Format: int64
             * @description Milliseconds since 1970.
             */
            asked_ms: number;
            /**
             * Format: int64
             * @description When it is left to the terminal.
             */
            expires_ms: number;
            /** @description How it is answered: `hook` or `sidecar`. */
            via: string;
            /** @description Whether the agent takes another input with the answer (`updated_input`). */
            editable?: boolean;
            digest?: string;
        };
        PromptChoice: {
            /** Format: int32 */
            number: number;
            /**
             * @description For example `allow_once` or `deny`; `option` for one of the dialog's own; of a question also `text` for own words,
             *     and `chat` to leave the dialog and talk.
             */
            key: string;
            label: string;
            description?: string | null;
        };
        /** @description What the agent asks. */
        PromptContext: {
            /**
             * @description `permission`, `plan`, `question` or `setup`.
             * @default
             */
            type: string;
            /**
             * @description The tool it wants to run.
             * @default null
             */
            tool: string | null;
            /**
             * @description The beginning of the tool's input, or the address to log in at.
             * @default null
             */
            input: string | null;
            /**
             * @description The current question.
             * @default null
             */
            question: string | null;
            /**
             * @description Labels of what can be chosen, in the order of the dialog; of the current question if there are several.
             * @default []
             */
            options: string[];
            /**
             * @description The plan.
             * @default null
             */
            summary: string | null;
            /**
             * @description For example `trust` or `theme_picker`.
             * @default null
             */
            subtype: string | null;
            /** @description The whole input of the tool, as JSON. */
            input_full?: unknown;
            /**
             * @description The same as `options`, with what each means.
             * @default []
             */
            option_details: components["schemas"]["PromptOption"][];
            /**
             * @description The options are what such a dialog usually has, and were not read from this one.
             * @default false
             */
            options_fallback: boolean;
            /** @default [] */
            questions: components["schemas"]["QuestionContext"][];
            /**
             * Format: int32
             * @description The question on the screen, from 0; as many as there are when only the confirmation is left.
             * @default 0
             */
            question_current: number;
            /**
             * @description Whether the options are known.
             * @default false
             */
            ready: boolean;
            /**
             * @description Send this with the answer, so that it cannot reach another prompt.
             * @default
             */
            prompt_id: string;
            /**
             * @description A hook waits for the answer: it needs no key.
             * @default false
             */
            by_hook: boolean;
            /**
             * @description What is asked, in the agent's own words, where nothing else is known.
             * @default null
             */
            message: string | null;
            /**
             * @description The input was read from the dialog as painted, with lines broken where the screen ends. No rule allows it.
             * @default false
             */
            input_seen: boolean;
            /**
             * @description Digest of what is asked: the tool and its input, the plan, or the questions. Return it with an answer, so that the
             *     answer is for what was shown.
             * @default
             */
            digest: string;
        };
        PromptOption: {
            /** @default  */
            label: string;
            /** @default null */
            description: string | null;
            /**
             * @description `allow`, `allow_session`, `allow_project`, `deny`, `deny_with_text`, `answer`, `text` or `chat`.
             * @default
             */
            meaning: string;
        };
        PromptQuestion: {
            question: string;
            several: boolean;
            options: components["schemas"]["PromptChoice"][];
        };
        Prompts: {
            /** @description Oldest first. */
            prompts: components["schemas"]["Prompt"][];
        };
        /** @description What browsers subscribe with. */
        PushKey: {
            /** @description The public key of the hub (VAPID), in base64 for addresses. */
            key: string;
        };
        PushKeys: {
            /** @default  */
            p256dh: string;
            /** @default  */
            auth: string;
        };
        /** @description As a browser says it (`PushSubscription.toJSON()`). */
        PushSubscription: {
            /**
             * @description Where its push service takes messages for it.
             * @default
             */
            endpoint: string;
            /**
             * @default {
             *       "auth": "",
             *       "p256dh": ""
             *     }
             */
            keys: components["schemas"]["PushKeys"];
        };
        QuestionContext: {
            /** @default  */
            question: string;
            /** @default null */
            header: string | null;
            /** @default false */
            multi_select: boolean;
            /** @default [] */
            options: string[];
            /** @default [] */
            option_details: components["schemas"]["PromptOption"][];
        };
        /** @description What a sidecar says of itself when it calls. */
        Registration: {
            /** @description The machine it is on, as people know it. */
            host: string;
            /** @description The name of the session. */
            name: string;
            /**
             * Format: int64
             * @description Another one for each program: two of them may have one host and one number of a process.
             */
            instance: number;
            /** @description The folder that its program was started in. */
            cwd?: string | null;
            /** @description The branch which that folder was on when it called. */
            branch?: string | null;
        };
        /** @description What a session remembers of a person's answers. */
        Remembered: {
            /** @description The agent's own id of the conversation. */
            session_id: string;
            pattern: string;
            effect: string;
        };
        /** @description An answer to what the agent asks. */
        RespondRequest: {
            /**
             * @description Yes or no, for a permission or a plan.
             * @default null
             */
            accept: boolean | null;
            /**
             * Format: int32
             * @description The option to choose, counted from 1.
             * @default null
             */
            option: number | null;
            /**
             * @description An answer in own words, or why not.
             * @default null
             */
            text: string | null;
            /**
             * @description One for each question.
             * @default []
             */
            answers: components["schemas"]["Answer"][];
            /**
             * @description How far a yes goes: `once` (default), `session` or `path`.
             * @default null
             */
            scope: string | null;
            /**
             * @description The prompt that is meant. Default: the one that is pending.
             * @default null
             */
            prompt_id: string | null;
            /** @description Run the tool with this input instead, as JSON. */
            updated_input?: unknown;
            /**
             * @description Allow a call although coop does not know its input. Without it such an answer is rejected.
             * @default false
             */
            unseen: boolean;
            /**
             * @description Digest of the prompt that was shown. An answer is rejected if the prompt has changed since.
             * @default null
             */
            digest: string | null;
        };
        /** @description How a session that has ended is to be started again. */
        ResumeSession: {
            /**
             * @description For the agent.
             * @default []
             */
            args: string[];
            /**
             * @description In addition to what the hub has.
             * @default {}
             */
            env: {
                [key: string]: string;
            };
        };
        /** @description A standing rule. */
        Rule: {
            /** Format: int64 */
            id: number;
            /** @description For example `Bash(git status:*)`, `Write(*.py)`, `WebFetch(domain:example.org)` or `Read`. */
            pattern: string;
            /** @description `allow`, `deny` or `ask`. */
            effect: string;
            /** @description Only in this folder and below. */
            project?: string | null;
            /** @description Only for sessions of this machine; missing for the machine of the hub, `*` for all machines. */
            host?: string | null;
        };
        /** @description Would this be allowed? */
        RuleTest: {
            /** @default  */
            tool: string;
            /** @description The input of the tool; a text stands for the command of a shell. */
            input?: unknown;
            /**
             * @description Where it would be done.
             * @default
             */
            cwd: string;
            /**
             * @description With what this session remembers: its `id`, or the agent's own.
             * @default null
             */
            session: string | null;
            /**
             * @description The machine on which it would be done. Without it that of the session, or that of the hub.
             * @default null
             */
            host: string | null;
        };
        RuleVerdict: {
            /** @description `allow`, `deny` or `ask`. */
            effect: string;
            /** @description Rules that say so. */
            rules?: number[];
            /** @description Patterns the session remembers that say so. */
            memory?: string[];
            /**
             * @description `certain` if the input was read completely and is all covered; `possible` if a part of it is or may be. Rules that
             *     deny or ask count where they possibly match, rules that allow only where they certainly do.
             */
            certainty?: string | null;
            /** @description The part of the input that decided. */
            part?: string | null;
        };
        Rules: {
            rules: components["schemas"]["Rule"][];
            memory: components["schemas"]["Remembered"][];
        };
        /** @description Where the words stand. */
        SearchHit: {
            /**
             * Format: int64
             * @description The `id` of the session.
             */
            session: number;
            agent?: string | null;
            project?: string | null;
            title?: string | null;
            /**
             * @description `session`, `prompt`, or what it is in the conversation: `user`, `assistant`, `thinking`, `tool_call`,
             *     `tool_result`, `error` or `compaction`.
             */
            kind: string;
            /** @description With what stands around it, for people. */
            text: string;
            /**
             * Format: int64
             * @description Line of the agent's log, counted from 0.
             */
            line?: number | null;
            /**
             * Format: int64
             * @description The `id` of the prompt.
             */
            prompt?: number | null;
            /** @description When it was said, as the agent wrote it. */
            at?: string | null;
        };
        SearchResults: {
            /** @description Sessions first, then what they asked, then what was said and done, the newest first. */
            hits: components["schemas"]["SearchHit"][];
            /** @description Whether there is nothing more. Looking takes five seconds at the most. */
            complete: boolean;
        };
        /** @description One agent on the board. */
        Session: {
            /**
             * Format: int64
             * @description Counts up from 1; never used again.
             */
            id: number;
            /** @description The kind of program, for example `claude`. */
            agent: string;
            /** @description `starting`, `working`, `idle`, `prompt`, `error`, `parked`, `restarting`, `exited` or `unknown`. */
            state: string;
            /**
             * Format: int64
             * @description Milliseconds since 1970.
             */
            since_ms: number;
            /**
             * @description What can be done with it: `owned` (a sidecar holds its terminal), `hooked` (its hooks report, and can be
             *     answered), `observed` (its files are read: look, no touch) or `cold` (it has ended).
             */
            control: string;
            /**
             * @description Whether what it asks can be answered from here. Not everything that is `hooked` can: some agents take answers at
             *     their terminal only.
             */
            answerable: boolean;
            /** @description How soon a person should look: `asks`, `failed`, `done`, `parked`, `rests`, `works` or `over`. */
            attention: string;
            /** @description It came to want something, and nobody has looked since. */
            unseen: boolean;
            prompt?: components["schemas"]["PromptContext"] | null;
            error?: components["schemas"]["SessionError"] | null;
            /** @description The machine it is on; missing for that of the hub. */
            host?: string | null;
            /** @description The name of the folder it works in. */
            project?: string | null;
            cwd?: string | null;
            branch?: string | null;
            title?: string | null;
            model?: string | null;
            version?: string | null;
            /** @description The agent's own id of the conversation. */
            session_id?: string | null;
            /** @description Conversations it had before. */
            earlier?: string[];
            /** Format: int32 */
            pid?: number | null;
            /** @description What the agent said last when its turn ended. */
            last_message?: string | null;
            usage?: components["schemas"]["Usage"] | null;
            cost?: components["schemas"]["Cost"] | null;
            context?: components["schemas"]["Context"] | null;
            /** @description What the state rests on, and why it is believed. */
            source?: string | null;
            reason: string;
            /** @description Where its sidecar listens. */
            socket?: string | null;
        };
        /** @description Why the last turn failed. */
        SessionError: {
            kind: string;
            detail: string;
            /**
             * Format: int64
             * @description When a limit lifts, in milliseconds since 1970.
             */
            resume_at_ms?: number | null;
        };
        Sessions: {
            /** @description Who needs a person first. */
            sessions: components["schemas"]["Session"][];
        };
        /** @description A request that is over: who answered what, when, and from where. */
        Settled: {
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            session: number;
            session_id: string;
            cwd: string;
            kind: string;
            tool: string;
            tool_use_id?: string | null;
            input: unknown;
            /** @description What the tool was run with instead, where whoever allowed it changed its input. */
            updated_input?: unknown;
            /** @description What was asked, for people. */
            text: string;
            /** Format: int64 */
            asked_ms: number;
            /** Format: int64 */
            ended_ms: number;
            /** @description `allow`, `deny`, `answer`, `terminal`, `expired`, `gone` or `hub ended`. */
            outcome: string;
            /** @description Who decided: a client, `rule`, `session memory` or `terminal`. */
            by: string;
            /** @description Where: `socket`, `tcp` or `rpc`. */
            from?: string | null;
            /** @description In their own words, or the rule that spoke. */
            answer?: string | null;
            /** @description What the session remembers of it. */
            remembered?: string | null;
        };
        Tested: {
            /**
             * Format: int64
             * @description How many took it: browsers, and sinks of the settings.
             */
            told: number;
        };
        /** @description What a session did, since the hub was started. */
        Timeline: {
            /** @description The oldest first. */
            moments: components["schemas"]["Moment"][];
            /** @description Whether there was more before that is no longer kept. */
            cut: boolean;
        };
        /** @description Tokens, counted once for each message of the model. */
        Usage: {
            /**
             * Format: int64
             * @default 0
             */
            input_tokens: number;
            /**
             * Format: int64
             * @default 0
             */
            output_tokens: number;
            /**
             * Format: int64
             * @default 0
             */
            cache_read_tokens: number;
            /**
             * Format: int64
             * @default 0
             */
            cache_write_tokens: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    devices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Devices"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revoke: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Device"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    events: {
        parameters: {
            query?: {
                /** @description The number of the last event seen. Without it, and without the header `Last-Event-ID`, the stream begins now. */
                since?: number;
                /** @description For browsers, which cannot send a header here. */
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    history: {
        parameters: {
            query?: {
                /** @description Default: 100, at most 1000. */
                limit?: number;
                /** @description Only those with a smaller id. */
                before?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["History"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    hook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Whose hook it is, for example `codex` [default: `claude`] */
                "X-Coop-Agent"?: string | null;
                /** @description Microseconds since the hook was started */
                "X-Coop-Age-Us"?: number | null;
            };
            path: {
                /** @description As the agent names it, for example `PermissionRequest` or `permission_request` */
                event: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description There is nothing to print */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Registration"];
            };
        };
        responses: {
            /** @description The protocol is `coop-sidecar` from here on */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    test: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tested"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pair: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PairRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Paired"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    new_code: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCode"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PairCode"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    prompts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Prompts"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    answer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RespondRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Answered"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    key: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushKey"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    subscribe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PushSubscription"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unsubscribe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PushSubscription"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rules"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    put_rule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRule"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    test_rules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuleTest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleVerdict"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_rule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cleared"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    search: {
        parameters: {
            query?: {
                /** @description Words that all have to be there, in any order; capitals count as small letters. */
                q?: string;
                /** @description Default: 50, at most 500. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResults"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sessions: {
        parameters: {
            query?: {
                /** @description One state or several, for example `prompt,error`. */
                state?: string;
                /** @description For example `claude`. */
                agent?: string;
                /** @description The name of the folder it works in, or its path, which then counts for folders below too. */
                project?: string;
                /** @description Also those that have ended. */
                all?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sessions"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    start: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSession"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    end: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    conversation: {
        parameters: {
            query?: {
                /** @description Where to go on: the `next` of an earlier reply. Default: 0, the beginning. */
                after?: number;
                /** @description At most about this many entries. Default: 200, at most 1000. */
                limit?: number;
                /** @description Whether entries of the kind `image` have their bytes. */
                images?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetConversationResponse"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    clear_permissions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cleared"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resume: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResumeSession"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    seen: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    timeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Timeline"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    shutdown: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    event: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    call: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description Nothing but notifications */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    connect: {
        parameters: {
            query?: {
                /** @description The `id` of the last event seen. Without it the stream begins now. */
                last_event_id?: string;
                /** @description Works, but a header or the first message is better: addresses end up in histories. */
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Switched to WebSocket */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
