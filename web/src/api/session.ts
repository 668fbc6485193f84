// @generated from api/session.json by `npm run api`
export interface paths {
    "/api/v1/agent/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Why that is believed */
        get: operations["explain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/interrupt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop what the agent is doing */
        post: operations["interrupt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/nudge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say something to the agent
         * @description Refused with `AGENT_BUSY` unless it is idle, or `when` says otherwise. `delivered` means that the agent has it, and
         *     `receipt` says how that is known.
         */
        post: operations["nudge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/respond": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answer what the agent asks */
        post: operations["respond"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the agent is doing */
        get: operations["state"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/wait": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Wait until the agent is in a state */
        get: operations["wait"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/config/groom": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is done about dialogs at the agent's start */
        get: operations["groom_config"];
        /** Set what is done about dialogs at the agent's start */
        put: operations["put_groom_config"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/config/lifted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether coop tells a parked agent to go on when its limit lifts */
        get: operations["lifted_config"];
        /** Set whether coop tells a parked agent to go on when its limit lifts */
        put: operations["put_lifted_config"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/config/recording": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the session records itself, and how far that is */
        get: operations["recording_config"];
        /** Let the session record itself, to a file in coop's own folder, or end that */
        put: operations["put_recording_config"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/config/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the agent is told when a session begins */
        get: operations["start_config"];
        /** Set what the agent is told when a session begins */
        put: operations["put_start_config"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/config/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the agent may stop */
        get: operations["stop_config"];
        /** Set whether the agent may stop */
        put: operations["put_stop_config"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/conversation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was said and done */
        get: operations["conversation"];
        put?: never;
        post?: never;
        delete?: never;
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
         * @description The id of an event is `generation:sequence`. With `Last-Event-ID` the stream goes on after that event; the first
         *     message then is `resume`, with `ok`, or `gap` and how many events were lost.
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
    "/api/v1/events/catchup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Events after one that was seen */
        get: operations["events_catchup"];
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
        /** Whether the session is well */
        get: operations["health"];
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
         * A hook of the agent calls
         * @description The body is what the agent gave the hook, as it is; the reply is what the hook prints, or empty with status 204. It
         *     may take as long as a person does to answer. The token of the hooks is enough here, and only here.
         */
        post: operations["hook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/input": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Type text */
        post: operations["input"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/input/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Press keys */
        post: operations["keys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/input/raw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write bytes as they are
         * @description As JSON with base64, or as bytes with `Content-Type: application/octet-stream`.
         */
        post: operations["input_raw"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/lease": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take, prolong or give back the right to type */
        post: operations["lease"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Raw output
         * @description As JSON with base64, or as bytes for `Accept: application/octet-stream`, with the offsets in the headers
         *     `Coop-Offset`, `Coop-Next-Offset`, `Coop-Generation` and `Coop-Lost`.
         */
        get: operations["output"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/recording": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A recording, as asciicast
         * @description Changes of the agent's state and questions are markers in it. What is typed is not, unless that is asked for, but what the
         *     program shows of it.
         */
        get: operations["recording"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/resize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change the size of the terminal */
        post: operations["resize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where output goes on, and the bytes that paint the screen before it */
        get: operations["resume"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/screen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The screen */
        get: operations["screen"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/screen/svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A picture of the screen */
        get: operations["screen_svg"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/screen/text": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The screen as plain text */
        get: operations["screen_text"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the program and start it again
         * @description In the same session, with other variables or arguments if they are given, and with the conversation it had. The reply
         *     comes when it has been started. Clients stay connected: the state is `restarting` meanwhile, and output goes on as a
         *     new generation.
         */
        post: operations["restart"];
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
         * End the program
         * @description It is asked to end, and killed after the time given with `--shutdown-timeout`. Asked again, it is killed at once.
         */
        post: operations["shutdown"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/signal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a signal */
        post: operations["signal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The program and its terminal in numbers */
        get: operations["status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stop/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The work is done: the agent may stop
         * @description The body says how it went, as any JSON.
         */
        post: operations["stop_resolve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/transcripts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Conversations that were kept before they were shortened */
        get: operations["transcripts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/transcripts/catchup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Transcripts and lines since those that were seen */
        get: operations["transcripts_catchup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/transcripts/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One of them */
        get: operations["transcript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether coop itself is alive */
        get: operations["livez"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Numbers for Prometheus */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the program runs and takes input */
        get: operations["ready"];
        put?: never;
        post?: never;
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
         * Connect a WebSocket
         * @description Messages are JSON objects with a `type`. A client sends the requests of this document by their WebSocket names with
         *     an optional `id`, which comes back in the reply.
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
        /** @description Why the last turn failed. */
        AgentError: {
            /**
             * @description As the agent names it, for example `rate_limit` or `authentication_failed`.
             * @default
             */
            kind: string;
            /** @default  */
            detail: string;
        };
        Answer: {
            /**
             * @description Counted from 1.
             * @default []
             */
            options: number[];
            /** @default null */
            text: string | null;
        };
        /** @description The program rang the bell. */
        BellEvent: Record<string, never>;
        Body: (components["schemas"]["StartEvent"] & {
            /** @enum {string} */
            type: "start";
        }) | (components["schemas"]["ResizeEvent"] & {
            /** @enum {string} */
            type: "resize";
        }) | (components["schemas"]["TitleEvent"] & {
            /** @enum {string} */
            type: "title";
        }) | (components["schemas"]["BellEvent"] & {
            /** @enum {string} */
            type: "bell";
        }) | (components["schemas"]["CwdEvent"] & {
            /** @enum {string} */
            type: "cwd";
        }) | (components["schemas"]["NotificationEvent"] & {
            /** @enum {string} */
            type: "notification";
        }) | (components["schemas"]["ProgressEvent"] & {
            /** @enum {string} */
            type: "progress";
        }) | (components["schemas"]["ProgramStatusEvent"] & {
            /** @enum {string} */
            type: "program_status";
        }) | (components["schemas"]["LeaseEvent"] & {
            /** @enum {string} */
            type: "lease";
        }) | (components["schemas"]["ShutdownEvent"] & {
            /** @enum {string} */
            type: "shutdown";
        }) | (components["schemas"]["ExitEvent"] & {
            /** @enum {string} */
            type: "exit";
        }) | (components["schemas"]["GapEvent"] & {
            /** @enum {string} */
            type: "gap";
        }) | (components["schemas"]["StateChangeEvent"] & {
            /** @enum {string} */
            type: "state_change";
        }) | (components["schemas"]["PromptEvent"] & {
            /** @enum {string} */
            type: "prompt";
        }) | (components["schemas"]["PromptResolvedEvent"] & {
            /** @enum {string} */
            type: "prompt_resolved";
        }) | (components["schemas"]["HookEvent"] & {
            /** @enum {string} */
            type: "hook";
        }) | (components["schemas"]["TranscriptSavedEvent"] & {
            /** @enum {string} */
            type: "transcript:saved";
        }) | (components["schemas"]["StopEvent"] & {
            /** @enum {string} */
            type: "stop";
        }) | (components["schemas"]["LiftedEvent"] & {
            /** @enum {string} */
            type: "lifted";
        }) | (components["schemas"]["UsageEvent"] & {
            /** @enum {string} */
            type: "usage";
        });
        /** @description What can be done with this agent, said before it is tried. */
        Capabilities: {
            /** @default false */
            nudge: boolean;
            /** @default false */
            nudge_while_working: boolean;
            /** @default false */
            respond_by_keys: boolean;
            /** @default false */
            respond_by_hook: boolean;
            /** @default false */
            interrupt: boolean;
            /** @default false */
            conversation: boolean;
            /** @default false */
            stop_gate: boolean;
        };
        CatchupTranscriptsRequest: {
            /**
             * Format: int64
             * @description The last transcript that was seen.
             * @default 0
             */
            since_transcript: number;
            /**
             * Format: int64
             * @description The number of lines of the conversation that were seen.
             * @default 0
             */
            since_line: number;
        };
        CatchupTranscriptsResponse: {
            /** @default [] */
            transcripts: components["schemas"]["Transcript"][];
            /**
             * @description Lines of the conversation since then.
             * @default []
             */
            lines: string[];
            /**
             * Format: int64
             * @description Ask with this as `since_line` next.
             * @default 0
             */
            next_line: number;
        };
        /** @description One row. */
        CellLine: {
            /** @default [] */
            spans: components["schemas"]["CellSpan"][];
        };
        /** @description Neighbouring cells of one style. */
        CellSpan: {
            /**
             * Format: int32
             * @description First column.
             * @default 0
             */
            col: number;
            /**
             * Format: int32
             * @description Columns it takes; wide characters take two.
             * @default 0
             */
            width: number;
            /** @default  */
            text: string;
            /**
             * @description `#rrggbb`, a palette index like `208`, or missing for the default.
             * @default null
             */
            fg: string | null;
            /** @default null */
            bg: string | null;
            /** @default false */
            bold: boolean;
            /** @default false */
            dim: boolean;
            /** @default false */
            italic: boolean;
            /**
             * @description `single`, `double`, `curly`, `dotted` or `dashed`.
             * @default null
             */
            underline: string | null;
            /** @default false */
            inverse: boolean;
            /** @default false */
            hidden: boolean;
            /** @default false */
            strikeout: boolean;
            /**
             * @description Target of a hyperlink.
             * @default null
             */
            link: string | null;
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
        /** @description Messages about the connection. */
        Control: {
            token: string;
            /** @enum {string} */
            type: "auth";
        } | {
            /** @enum {string} */
            type: "ping";
        } | {
            streams: components["schemas"]["Topic"][];
            /** @enum {string} */
            type: "subscribe";
        } | {
            /** Format: int64 */
            offset: number;
            /** @enum {string} */
            type: "replay";
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
        /** @description Where the cursor is; the first row and column are 0. */
        CursorPosition: {
            /**
             * Format: int32
             * @default 0
             */
            row: number;
            /**
             * Format: int32
             * @default 0
             */
            col: number;
            /** @default false */
            visible: boolean;
            /**
             * @description `block`, `underline` or `bar`.
             * @default
             */
            shape: string;
        };
        /** @description The program said which directory it is in, as a `file://` URL. */
        CwdEvent: {
            /** @default  */
            url: string;
        };
        /** @description Something that happened. */
        Event: (components["schemas"]["Body"] | null) & {
            /**
             * Format: int64
             * @description Counts up from 1 within a session.
             * @default 0
             */
            seq: number;
            /**
             * Format: int64
             * @default 0
             */
            generation: number;
        };
        /** @description What a source said, and what was made of it. */
        Evidence: {
            /** @default  */
            source: string;
            /**
             * Format: int32
             * @default 0
             */
            tier: number;
            /**
             * Format: int64
             * @default 0
             */
            ago_ms: number;
            /** @default  */
            fact: string;
            /** @default null */
            turn: string | null;
            /** @default false */
            accepted: boolean;
            /** @default  */
            rule: string;
            /** @default  */
            reason: string;
        };
        /** @description The program has ended and all its output has been read. */
        ExitEvent: {
            /**
             * Format: int32
             * @default null
             */
            code: number | null;
            /**
             * Format: int32
             * @default null
             */
            signal: number | null;
        };
        ExplainRequest: {
            /**
             * @description With the evidence itself, so that it can be decided again (`coop replay`).
             * @default false
             */
            evidence: boolean;
        };
        /** @description Why the state is believed. */
        ExplainResponse: {
            /** @default  */
            state: string;
            /**
             * @description The rule that decided.
             * @default
             */
            rule: string;
            /** @default  */
            reason: string;
            /**
             * Format: int64
             * @description How long it has been the state.
             * @default 0
             */
            for_ms: number;
            /**
             * @description The last that each source said.
             * @default []
             */
            sources: components["schemas"]["Evidence"][];
            /**
             * @description The last of all evidence, oldest first, with what was not believed.
             * @default []
             */
            recent: components["schemas"]["Evidence"][];
            /**
             * @description What was heard last, oldest first, each piece as JSON, if that was asked for. What the person and the agent said is in it.
             * @default []
             */
            evidence: string[];
            /**
             * Format: int64
             * @description How much before that is forgotten.
             * @default 0
             */
            forgotten: number;
        };
        /** @description Events were lost to this reader. */
        GapEvent: {
            /**
             * Format: int64
             * @default 0
             */
            lost: number;
        };
        GetAgentStateRequest: Record<string, never>;
        /** @description What the agent is doing. */
        GetAgentStateResponse: {
            /**
             * @description The kind of program, for example `claude` or `unknown`.
             * @default
             */
            agent: string;
            /**
             * @description `starting`, `working`, `idle`, `prompt`, `error`, `parked`, `restarting`, `exited` or `unknown`.
             * @default
             */
            state: string;
            /**
             * Format: int64
             * @description Number of the event that told of this state.
             * @default 0
             */
            since_seq: number;
            /**
             * Format: int64
             * @description Grows with every change of the screen.
             * @default 0
             */
            screen_seq: number;
            /**
             * @description How certain the source is, and its name: `1-hook` is the most certain, `5-screen` the least.
             * @default
             */
            detection_tier: string;
            /** @default null */
            prompt: components["schemas"]["PromptContext"] | null;
            /**
             * Format: float
             * @description Set while the agent looks idle and that is not believed yet.
             * @default null
             */
            idle_grace_remaining_secs: number | null;
            /**
             * @description What the state rests on: `hook`, `report`, `registry`, `log`, `stdout`, `process` or `screen`.
             * @default null
             */
            source: string | null;
            /**
             * @description Why it is believed.
             * @default
             */
            reason: string;
            /**
             * Format: int64
             * @description Counts the changes of the state and its prompt.
             * @default 0
             */
            state_seq: number;
            /**
             * @description The agent's own id of the conversation.
             * @default null
             */
            session_id: string | null;
            /** @default null */
            model: string | null;
            /**
             * @description What the agent said last when its turn ended.
             * @default null
             */
            last_message: string | null;
            /**
             * Format: int32
             * @description Messages that wait for the agent to be idle.
             * @default 0
             */
            queued: number;
            /** @default null */
            error: components["schemas"]["AgentError"] | null;
            /** @default null */
            parked: components["schemas"]["Parked"] | null;
            /** @default null */
            capabilities: components["schemas"]["Capabilities"] | null;
            /** @default null */
            usage: components["schemas"]["Usage"] | null;
            /** @default null */
            cost: components["schemas"]["Cost"] | null;
            /** @default null */
            context: components["schemas"]["Context"] | null;
        };
        GetConversationRequest: {
            /**
             * Format: int64
             * @description Where to go on: the `next` of an earlier reply. Default: 0, the beginning.
             * @default 0
             */
            after: number;
            /**
             * Format: int32
             * @description At most about this many entries. Default: 200, at most 1000.
             * @default null
             */
            limit: number | null;
            /**
             * @description Whether entries of the kind `image` have their bytes.
             * @default false
             */
            images: boolean;
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
        GetEventsRequest: {
            /**
             * Format: int64
             * @description The number of the last event seen. Default: 0, before the first.
             * @default 0
             */
            since: number;
            /**
             * Format: int32
             * @description At most this many. Default and most: 1000.
             * @default null
             */
            limit: number | null;
        };
        GetEventsResponse: {
            /** @default [] */
            events: components["schemas"]["Event"][];
            /**
             * Format: int64
             * @description Events after `since` that are no longer kept.
             * @default 0
             */
            lost: number;
            /**
             * Format: int64
             * @default 0
             */
            generation: number;
            /**
             * Format: int64
             * @description Ask with this number next.
             * @default 0
             */
            last: number;
        };
        GetGroomConfigRequest: Record<string, never>;
        GetHealthRequest: Record<string, never>;
        /** @description Whether the session is well. */
        GetHealthResponse: {
            /**
             * @description `running`, `stopping`, `restarting` or `exited`.
             * @default
             */
            status: string;
            /**
             * Format: int32
             * @description Process id of the program, while it runs.
             * @default null
             */
            pid: number | null;
            /**
             * Format: int64
             * @default 0
             */
            uptime_secs: number;
            /**
             * @description The kind of program, for example `claude` or `unknown`.
             * @default
             */
            agent: string;
            /**
             * Format: int32
             * @default 0
             */
            ws_clients: number;
            /** @default null */
            terminal: components["schemas"]["TerminalSize"] | null;
            /**
             * @description Name of the session, as `coop ls` shows it.
             * @default
             */
            name: string;
            /**
             * @description Version of coop.
             * @default
             */
            version: string;
        };
        GetLiftedConfigRequest: Record<string, never>;
        /** @description Which part of the raw output. */
        GetOutputRequest: {
            /**
             * Format: int64
             * @description Where to begin. Default: the oldest that is kept.
             * @default null
             */
            offset: number | null;
            /**
             * Format: int32
             * @description At most this many bytes. Default: 64 KiB, at most 1 MiB.
             * @default null
             */
            limit: number | null;
            /**
             * Format: int64
             * @description The generation the offset counts in. Default: the current one.
             * @default null
             */
            generation: number | null;
        };
        /** @description Raw output of the program. */
        GetOutputResponse: {
            /**
             * Format: byte
             * @default []
             */
            data: string;
            /**
             * Format: int64
             * @default 0
             */
            offset: number;
            /**
             * Format: int64
             * @description Ask for this offset next.
             * @default 0
             */
            next_offset: number;
            /**
             * Format: int64
             * @description Bytes the program has printed so far.
             * @default 0
             */
            total_written: number;
            /**
             * Format: int64
             * @default 0
             */
            generation: number;
            /**
             * Format: int64
             * @description Bytes from the offset asked for that are no longer kept.
             * @default 0
             */
            lost: number;
        };
        GetRecordingConfigRequest: Record<string, never>;
        /** @description Which view of the screen. */
        GetScreenRequest: {
            /**
             * @description `text` (default), `ansi` (lines with colour codes) or `cells` (runs of styled cells).
             * @default 0
             * @example text
             */
            format: string;
            /**
             * @description Whether to include the cursor. Default: yes.
             * @default null
             */
            cursor: boolean | null;
            /**
             * Format: int32
             * @description Lines of history before the screen.
             * @default 0
             */
            scrollback: number;
        };
        /** @description The screen at one moment. */
        GetScreenResponse: {
            /**
             * @description One string for each row, without blanks at the end. Empty for the format `cells`.
             * @default []
             */
            lines: string[];
            /**
             * Format: int32
             * @default 0
             */
            cols: number;
            /**
             * Format: int32
             * @default 0
             */
            rows: number;
            /**
             * @description Whether a full-screen program has the alternate screen on.
             * @default false
             */
            alt_screen: boolean;
            /** @default null */
            cursor: components["schemas"]["CursorPosition"] | null;
            /**
             * Format: int64
             * @description Grows with every change of the screen.
             * @default 0
             */
            sequence: number;
            /** @default null */
            title: string | null;
            /**
             * @description The rows as runs of equally styled cells, for the format `cells`.
             * @default []
             */
            cells: components["schemas"]["CellLine"][];
            /**
             * Format: int32
             * @description How many of the first lines are history.
             * @default 0
             */
            scrollback: number;
            /** @default null */
            modes: components["schemas"]["TerminalModes"] | null;
        };
        GetScreenSvgRequest: Record<string, never>;
        GetScreenTextRequest: {
            /**
             * Format: int32
             * @description Lines of history before the screen.
             * @default 0
             */
            scrollback: number;
        };
        GetStartConfigRequest: Record<string, never>;
        GetStatusRequest: Record<string, never>;
        /** @description The program and its terminal in numbers. */
        GetStatusResponse: {
            /**
             * @description `running`, `stopping`, `restarting` or `exited`.
             * @default
             */
            state: string;
            /**
             * Format: int32
             * @default null
             */
            pid: number | null;
            /**
             * Format: int64
             * @default 0
             */
            uptime_secs: number;
            /**
             * Format: int32
             * @description Set when the program ended by itself.
             * @default null
             */
            exit_code: number | null;
            /**
             * Format: int64
             * @description Grows with every change of the screen.
             * @default 0
             */
            screen_seq: number;
            /**
             * Format: int64
             * @description Bytes the program has printed; the offset of the next one.
             * @default 0
             */
            bytes_read: number;
            /**
             * Format: int64
             * @description Bytes typed into the program.
             * @default 0
             */
            bytes_written: number;
            /**
             * Format: int32
             * @default 0
             */
            ws_clients: number;
            /**
             * Format: int32
             * @description Set when the program was ended by a signal.
             * @default null
             */
            exit_signal: number | null;
            /**
             * Format: int64
             * @description One for each process started in this session; offsets count within it.
             * @default 0
             */
            generation: number;
            /**
             * Format: int64
             * @description Offset of the oldest output that is still kept.
             * @default 0
             */
            output_start: number;
            /**
             * Format: int64
             * @description Number of the newest event.
             * @default 0
             */
            event_seq: number;
            /**
             * @description `owned`: coop started the program. `attached`: it runs on a terminal that is somebody else's, such as a pane of tmux,
             *     and cannot be resized, signalled or restarted; to shut the session down is to let go of it, and the code it ends with
             *     may not be known.
             * @default
             */
            control: string;
            /**
             * @description What keeps the program from doing on coop's sockets what is for the operator. `sealed`: a wall, it runs in namespaces
             *     of its own. `guarded`: a guard rail, the processes that connect are looked at. `none`: it is a person's shell, or the
             *     system shows too little of processes.
             * @default
             */
            containment: string;
        };
        GetStopConfigRequest: Record<string, never>;
        GetTranscriptRequest: {
            /**
             * Format: int64
             * @default 0
             */
            number: number;
        };
        GetTranscriptResponse: {
            /**
             * Format: int64
             * @default 0
             */
            number: number;
            /**
             * @description The agent's own lines of JSON.
             * @default
             */
            content: string;
        };
        /** @description What is done about the dialogs at the agent's start. */
        GroomConfig: {
            /**
             * @description `auto` (dismissed where that is safe), `manual` (reported) or `pristine` (and no hooks are installed).
             * @default
             */
            level: string;
        };
        /** @description The agent called a hook. */
        HookEvent: {
            /** @default  */
            event: string;
            /** @default null */
            tool: string | null;
        };
        /** @description A hook of the agent calls. Over HTTP the body is the payload as it is. */
        HookRequest: {
            /**
             * @description As the agent names it, for example `PermissionRequest`; `permission_request` and `permission-request` are the same.
             * @default
             */
            event: string;
            /** @description What the agent gave the hook, as JSON. */
            payload?: unknown;
            /**
             * Format: int64
             * @description Microseconds since the hook was started; over HTTP the header `X-Coop-Age-Us`.
             * @default 0
             */
            age_us: number;
        };
        InterruptRequest: Record<string, never>;
        InterruptResponse: {
            /** @default false */
            interrupted: boolean;
        };
        /** @description Who may type has changed; without a holder, everybody may. */
        LeaseEvent: {
            /** @default null */
            holder: string | null;
        };
        /** @description The right to type. */
        LeaseRequest: {
            /**
             * @description `acquire` or `release`.
             * @default
             */
            action: string;
            /**
             * @description The lease to prolong or give back. Over WebSocket the connection's own is meant.
             * @default null
             */
            lease: string | null;
            /**
             * @description Who is typing, shown to those who have to wait.
             * @default null
             */
            holder: string | null;
            /**
             * @description Take it from whoever has it.
             * @default false
             */
            take_over: boolean;
        };
        LeaseResponse: {
            /**
             * @description Whether the caller holds it now.
             * @default false
             */
            held: boolean;
            /**
             * @description Send this with input.
             * @default null
             */
            lease: string | null;
            /**
             * Format: int32
             * @description It ends after this long without input from its holder.
             * @default 0
             */
            expires_in_secs: number;
        };
        /** @description Whether coop itself tells an agent that is parked to go on when its limit lifts. */
        LiftedConfig: {
            /** @default false */
            enabled: boolean;
            /**
             * @description What it is told. Default: `continue`.
             * @default null
             */
            message: string | null;
        };
        /** @description A limit has lifted, and coop itself told the agent to go on. */
        LiftedEvent: {
            /**
             * @description What it was told.
             * @default
             */
            message: string;
            /**
             * @description Whether it is certain that it arrived.
             * @default false
             */
            delivered: boolean;
            /** @default null */
            receipt: components["schemas"]["Receipt"] | null;
            /**
             * @description Why it was not delivered.
             * @default null
             */
            reason: string | null;
        };
        ListTranscriptsRequest: Record<string, never>;
        ListTranscriptsResponse: {
            /** @default [] */
            transcripts: components["schemas"]["Transcript"][];
        };
        /** @description The program asked for attention. */
        NotificationEvent: {
            /** @default null */
            title: string | null;
            /** @default  */
            body: string;
        };
        /** @description A message to the agent. */
        NudgeRequest: {
            /** @default  */
            message: string;
            /**
             * @description `idle-only` (default: refused unless it is idle), `idle` (waits until it is) or `now` (also while it works).
             * @default null
             */
            when: string | null;
            /**
             * @description `delivered` (default) or `turn_end`: the reply comes when the agent has finished what it was told.
             * @default null
             */
            wait: string | null;
            /**
             * Format: int32
             * @default null
             */
            timeout_secs: number | null;
            /**
             * @description The message is a command of the agent, for example `/clear`.
             * @default false
             */
            command: boolean;
            /**
             * @description Replace what somebody has half typed.
             * @default false
             */
            replace_draft: boolean;
        };
        NudgeResponse: {
            /**
             * @description Whether it is certain that it arrived.
             * @default false
             */
            delivered: boolean;
            /** @default  */
            state_before: string;
            /**
             * @description Why it was not delivered.
             * @default null
             */
            reason: string | null;
            /** @default null */
            receipt: components["schemas"]["Receipt"] | null;
            /**
             * Format: int64
             * @description Its number, if it waits for the agent to be idle.
             * @default null
             */
            queued: number | null;
            /**
             * @description The state at the end of the turn, if that was waited for.
             * @default null
             */
            state_after: string | null;
            /** @default null */
            last_message: string | null;
        };
        /** @description Output of the program, in order. */
        OutputChunk: {
            /**
             * Format: byte
             * @default []
             */
            data: string;
            /**
             * Format: int64
             * @default 0
             */
            offset: number;
            /**
             * Format: int64
             * @default 0
             */
            generation: number;
            /** @default null */
            resume: components["schemas"]["ResumeResponse"] | null;
        };
        /** @description A limit the agent waits for. */
        Parked: {
            /** @default  */
            reason: string;
            /**
             * Format: int64
             * @description When it lifts, in milliseconds since 1970, if that is known.
             * @default null
             */
            resume_at_epoch_ms: number | null;
            /**
             * Format: int64
             * @description In the state: set to the same if coop will then tell the agent to go on, as long as nobody does anything before.
             * @default null
             */
            continues_at_epoch_ms: number | null;
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
        /** @description The program reported its own state (OSC 7501). */
        ProgramStatusEvent: {
            /** @default  */
            state: string;
            /** @default null */
            app: string | null;
            /** @default null */
            kind: string | null;
            /** @default null */
            message: string | null;
        };
        /** @description The program said how far it is. */
        ProgressEvent: {
            /**
             * @description `none`, `running`, `error`, `indeterminate` or `paused`.
             * @default
             */
            state: string;
            /**
             * Format: int32
             * @default 0
             */
            percent: number;
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
        /** @description More is known about the prompt that is up. */
        PromptEvent: {
            /** @default null */
            prompt: components["schemas"]["PromptContext"] | null;
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
        /** @description A prompt is over. */
        PromptResolvedEvent: {
            /** @default  */
            prompt_id: string;
            /**
             * @description Who answered: a name, or `terminal`.
             * @default
             */
            by: string;
            /**
             * @description `hook` or `keys`, if it was answered through coop.
             * @default null
             */
            via: string | null;
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
        /** @description The proof that a message arrived. */
        Receipt: {
            /**
             * @description `hook`, `log` or `screen`.
             * @default
             */
            how: string;
            /**
             * Format: int64
             * @default 0
             */
            after_ms: number;
        };
        /** @description The recording that a session makes of itself, or made last. */
        Recording: {
            /**
             * @description Whether it goes on.
             * @default false
             */
            enabled: boolean;
            /**
             * @description On the machine of the session.
             * @default null
             */
            path: string | null;
            /**
             * Format: int64
             * @default 0
             */
            bytes: number;
            /**
             * Format: int64
             * @description What was in the file and is not any more.
             * @default 0
             */
            pruned_bytes: number;
            /** @default false */
            input: boolean;
            /**
             * Format: int64
             * @default null
             */
            max_bytes: number | null;
            /**
             * @description Why it ended, if that was for something that went wrong.
             * @default null
             */
            error: string | null;
        };
        /** @description Whether the session records itself, to a file in coop's own folder. */
        RecordingConfig: {
            /** @default false */
            enabled: boolean;
            /**
             * @description Begin with what is kept of the output, and not with the screen as it is.
             * @default false
             */
            from_start: boolean;
            /**
             * @description Also what is typed, unless the program reads lines that the terminal does not show: a password may be asked for.
             * @default false
             */
            input: boolean;
            /**
             * Format: int64
             * @description Of a larger file the oldest goes, and it says so. Default: 100 MiB.
             * @default null
             */
            max_bytes: number | null;
            /**
             * Format: int32
             * @description Version of the format: 2 (default) or 3.
             * @default null
             */
            version: number | null;
        };
        /** @description A request in any transport's clothes. */
        Request: (components["schemas"]["GetHealthRequest"] & {
            /** @enum {string} */
            type: "health_request";
        }) | (components["schemas"]["GetStatusRequest"] & {
            /** @enum {string} */
            type: "status_request";
        }) | (components["schemas"]["GetScreenRequest"] & {
            /** @enum {string} */
            type: "screen_request";
        }) | (components["schemas"]["GetScreenTextRequest"] & {
            /** @enum {string} */
            type: "screen_text_request";
        }) | (components["schemas"]["GetScreenSvgRequest"] & {
            /** @enum {string} */
            type: "screen_svg_request";
        }) | (components["schemas"]["GetOutputRequest"] & {
            /** @enum {string} */
            type: "output_request";
        }) | (components["schemas"]["ResumeRequest"] & {
            /** @enum {string} */
            type: "resume";
        }) | (components["schemas"]["SendInputRequest"] & {
            /** @enum {string} */
            type: "input";
        }) | (components["schemas"]["SendInputRawRequest"] & {
            /** @enum {string} */
            type: "input_raw";
        }) | (components["schemas"]["SendKeysRequest"] & {
            /** @enum {string} */
            type: "keys";
        }) | (components["schemas"]["ResizeRequest"] & {
            /** @enum {string} */
            type: "resize";
        }) | (components["schemas"]["SendSignalRequest"] & {
            /** @enum {string} */
            type: "signal";
        }) | (components["schemas"]["LeaseRequest"] & {
            /** @enum {string} */
            type: "lock";
        }) | (components["schemas"]["ShutdownRequest"] & {
            /** @enum {string} */
            type: "shutdown";
        }) | (components["schemas"]["RestartRequest"] & {
            /** @enum {string} */
            type: "restart";
        }) | (components["schemas"]["GetEventsRequest"] & {
            /** @enum {string} */
            type: "events_request";
        }) | (components["schemas"]["GetAgentStateRequest"] & {
            /** @enum {string} */
            type: "state_request";
        }) | (components["schemas"]["ExplainRequest"] & {
            /** @enum {string} */
            type: "explain_request";
        }) | (components["schemas"]["NudgeRequest"] & {
            /** @enum {string} */
            type: "nudge";
        }) | (components["schemas"]["RespondRequest"] & {
            /** @enum {string} */
            type: "respond";
        }) | (components["schemas"]["InterruptRequest"] & {
            /** @enum {string} */
            type: "interrupt";
        }) | (components["schemas"]["WaitRequest"] & {
            /** @enum {string} */
            type: "wait";
        }) | (components["schemas"]["GetConversationRequest"] & {
            /** @enum {string} */
            type: "conversation_request";
        }) | (components["schemas"]["HookRequest"] & {
            /** @enum {string} */
            type: "hook";
        }) | (components["schemas"]["ResolveStopRequest"] & {
            /** @enum {string} */
            type: "stop_resolve";
        }) | (components["schemas"]["GetStopConfigRequest"] & {
            /** @enum {string} */
            type: "stop_config_request";
        }) | (components["schemas"]["StopConfig"] & {
            /** @enum {string} */
            type: "stop_config";
        }) | (components["schemas"]["GetStartConfigRequest"] & {
            /** @enum {string} */
            type: "start_config_request";
        }) | (components["schemas"]["StartConfig"] & {
            /** @enum {string} */
            type: "start_config";
        }) | (components["schemas"]["GetGroomConfigRequest"] & {
            /** @enum {string} */
            type: "groom_config_request";
        }) | (components["schemas"]["GroomConfig"] & {
            /** @enum {string} */
            type: "groom_config";
        }) | (components["schemas"]["GetLiftedConfigRequest"] & {
            /** @enum {string} */
            type: "lifted_config_request";
        }) | (components["schemas"]["LiftedConfig"] & {
            /** @enum {string} */
            type: "lifted_config";
        }) | (components["schemas"]["GetRecordingConfigRequest"] & {
            /** @enum {string} */
            type: "recording_config_request";
        }) | (components["schemas"]["RecordingConfig"] & {
            /** @enum {string} */
            type: "recording_config";
        }) | (components["schemas"]["ListTranscriptsRequest"] & {
            /** @enum {string} */
            type: "transcript:list";
        }) | (components["schemas"]["GetTranscriptRequest"] & {
            /** @enum {string} */
            type: "transcript:get";
        }) | (components["schemas"]["CatchupTranscriptsRequest"] & {
            /** @enum {string} */
            type: "transcript:catchup";
        });
        /** @description The terminal has a new size. A client that paints the screen should resume. */
        ResizeEvent: {
            /**
             * Format: int32
             * @default 0
             */
            cols: number;
            /**
             * Format: int32
             * @default 0
             */
            rows: number;
        };
        /** @description The size the terminal is to have. */
        ResizeRequest: {
            /**
             * Format: int32
             * @description 2 to 1000.
             * @default 0
             */
            cols: number;
            /**
             * Format: int32
             * @description 1 to 1000.
             * @default 0
             */
            rows: number;
        };
        ResizeResponse: {
            /**
             * Format: int32
             * @default 0
             */
            cols: number;
            /**
             * Format: int32
             * @default 0
             */
            rows: number;
        };
        /** @description The work is done. Over HTTP the body is what it says, as it is. */
        ResolveStopRequest: {
            /** @description How it went, as JSON. */
            body?: unknown;
        };
        ResolveStopResponse: {
            /** @default false */
            resolved: boolean;
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
        RespondResponse: {
            /** @default false */
            delivered: boolean;
            /**
             * @description `permission`, `plan`, `question` or `setup`.
             * @default
             */
            prompt_type: string;
            /**
             * @description Why it was not delivered.
             * @default null
             */
            reason: string | null;
            /** @default  */
            prompt_id: string;
            /**
             * @description How it was given: `hook` or `keys`.
             * @default
             */
            via: string;
        };
        /** @description What is different when the program is started again. Changes stay for later restarts. */
        RestartRequest: {
            /**
             * @description Variables to set.
             * @default {}
             */
            env: {
                [key: string]: string;
            };
            /**
             * @description Variables to unset.
             * @default []
             */
            unset: string[];
            /**
             * @description Arguments, instead of those it had. Without any, it keeps those.
             * @default []
             */
            args: string[];
            /**
             * @description No arguments, instead of those it had.
             * @default false
             */
            no_args: boolean;
        };
        /** @description The program has been started again. */
        RestartResponse: {
            /**
             * Format: int64
             * @description Its output has offsets of its own.
             * @default 0
             */
            generation: number;
            /**
             * Format: int32
             * @default 0
             */
            pid: number;
            /**
             * @description Whether the conversation goes on.
             * @default false
             */
            resumed: boolean;
            /**
             * @description The agent's own id of the conversation that goes on.
             * @default null
             */
            session_id: string | null;
        };
        /** @description Where a client is, so that it can go on. */
        ResumeRequest: {
            /**
             * Format: int64
             * @description The next offset the client expects. Without it, it gets the screen.
             * @default null
             */
            offset: number | null;
            /**
             * Format: int64
             * @default null
             */
            generation: number | null;
            /**
             * Format: int32
             * @description Lines of history to paint above the screen.
             * @default 0
             */
            scrollback: number;
        };
        /** @description Where output goes on, and what to paint before it. */
        ResumeResponse: {
            /**
             * @description `ok`: the output goes on at the offset asked for. `snapshot`: paint `data` first. `gap`: the same, because output
             *     was lost.
             * @default
             */
            status: string;
            /**
             * Format: int64
             * @default 0
             */
            offset: number;
            /**
             * Format: int64
             * @default 0
             */
            generation: number;
            /**
             * Format: int32
             * @default 0
             */
            cols: number;
            /**
             * Format: int32
             * @default 0
             */
            rows: number;
            /**
             * Format: int64
             * @description Bytes of output that will never be seen.
             * @default 0
             */
            lost: number;
            /**
             * Format: byte
             * @description Written to any terminal of this size, these bytes make it show the screen as it was at `offset`.
             * @default []
             */
            data: string;
        };
        /** @description The screen after a change. */
        ScreenSnapshot: {
            /** @default [] */
            lines: string[];
            /**
             * Format: int32
             * @default 0
             */
            cols: number;
            /**
             * Format: int32
             * @default 0
             */
            rows: number;
            /** @default false */
            alt_screen: boolean;
            /** @default null */
            cursor: components["schemas"]["CursorPosition"] | null;
            /**
             * Format: int64
             * @default 0
             */
            sequence: number;
            /** @default null */
            title: string | null;
        };
        /** @description Bytes to write as they are. */
        SendInputRawRequest: {
            /**
             * Format: byte
             * @default []
             */
            data: string;
            /** @default null */
            lease: string | null;
        };
        SendInputRawResponse: {
            /**
             * Format: int32
             * @default 0
             */
            bytes_written: number;
        };
        /** @description Text to type. */
        SendInputRequest: {
            /** @default  */
            text: string;
            /**
             * @description Press Enter after it.
             * @default false
             */
            enter: boolean;
            /**
             * @description Send it as a paste, so that lines in it are not taken for separate inputs.
             * @default false
             */
            paste: boolean;
            /**
             * @description The lease of the writer, if it has one.
             * @default null
             */
            lease: string | null;
        };
        SendInputResponse: {
            /**
             * Format: int32
             * @description Bytes the terminal has taken.
             * @default 0
             */
            bytes_written: number;
        };
        /** @description Keys to press, one after the other. */
        SendKeysRequest: {
            /**
             * @description Names like `Enter`, `Escape`, `Ctrl-C`, `Up`, `F1`, `Alt-x`, `Shift-Tab`; `coop keys --list` shows all.
             * @default []
             */
            keys: string[];
            /** @default null */
            lease: string | null;
        };
        SendKeysResponse: {
            /**
             * Format: int32
             * @default 0
             */
            bytes_written: number;
        };
        /** @description A signal for the program. */
        SendSignalRequest: {
            /**
             * @description A name or number, for example `SIGINT`, `TERM` or `9`.
             * @default
             */
            signal: string;
            /**
             * @description Who gets it: `foreground` (default: the job that Ctrl-C would reach), `group` (the program's process group) or
             *     `session` (everything started in this terminal).
             * @default null
             */
            target: string | null;
        };
        SendSignalResponse: {
            /** @default false */
            delivered: boolean;
        };
        /** @description The session is being ended. */
        ShutdownEvent: {
            /** @default  */
            reason: string;
        };
        ShutdownRequest: {
            /**
             * @description Why, for those who are told.
             * @default null
             */
            reason: string | null;
        };
        ShutdownResponse: {
            /** @default false */
            stopping: boolean;
        };
        /** @description What the agent is told when a session begins. */
        StartConfig: {
            /** @default null */
            text: string | null;
            /**
             * @description Commands whose output it is told too.
             * @default []
             */
            shell: string[];
            /**
             * @description Instead of these, by what began the session: `startup`, `resume`, `clear` or `compact`.
             * @default {}
             */
            event: {
                [key: string]: components["schemas"]["StartPart"];
            };
        };
        /** @description The program was started. */
        StartEvent: {
            /**
             * Format: int32
             * @default 0
             */
            pid: number;
        };
        StartPart: {
            /** @default null */
            text: string | null;
            /** @default [] */
            shell: string[];
        };
        /** @description The agent does something else now, or asks something else. */
        StateChangeEvent: {
            /** @default  */
            prev: string;
            /** @default  */
            next: string;
            /** @default null */
            prompt: components["schemas"]["PromptContext"] | null;
            /**
             * @description What the state rests on.
             * @default null
             */
            source: string | null;
            /** @default  */
            reason: string;
            /**
             * Format: int64
             * @description Counts the changes.
             * @default 0
             */
            state_seq: number;
            /** @default null */
            error: components["schemas"]["AgentError"] | null;
            /** @default null */
            parked: components["schemas"]["Parked"] | null;
        };
        /** @description Whether the agent may end its turn. */
        StopConfig: {
            /**
             * @description `allow` (default), `auto` (not before it says that it is done, and it is told how) or `gate` (not before it is told).
             * @default
             */
            mode: string;
            /**
             * @description What the agent is told when it may not stop yet.
             * @default null
             */
            prompt: string | null;
        };
        /** @description The agent wanted to stop. */
        StopEvent: {
            /** @default false */
            blocked: boolean;
            /** @default null */
            reason: string | null;
        };
        Tagged: {
            session: string;
            version: string;
            /** Format: int64 */
            generation: number;
            /** Format: int64 */
            offset: number;
            /** Format: int64 */
            event_seq: number;
            /** Format: int32 */
            cols: number;
            /** Format: int32 */
            rows: number;
            /** @enum {string} */
            type: "hello";
        } | (components["schemas"]["OutputChunk"] & {
            /** @enum {string} */
            type: "output";
        }) | (components["schemas"]["ScreenSnapshot"] & {
            /**
             * Format: int64
             * @description The same as `sequence`.
             */
            seq: number;
        } & {
            /** @enum {string} */
            type: "screen";
        }) | (components["schemas"]["ResumeResponse"] & {
            id?: unknown;
        } & {
            /** @enum {string} */
            type: "resume";
        }) | {
            id?: unknown;
            /** @description The `type` of the request. */
            request: string;
            result: unknown;
            /** @enum {string} */
            type: "reply";
        } | {
            id?: unknown;
            message: string;
            code: components["schemas"]["Code"];
            hint?: string | null;
            /** @enum {string} */
            type: "error";
        } | {
            id?: unknown;
            /** @enum {string} */
            type: "pong";
        };
        /** @description What the program has switched on. */
        TerminalModes: {
            /** @default false */
            bracketed_paste: boolean;
            /** @default false */
            mouse: boolean;
            /** @default false */
            focus: boolean;
            /** @default false */
            app_cursor: boolean;
            /** @default false */
            app_keypad: boolean;
            /**
             * Format: int32
             * @description Flags of the kitty keyboard protocol in force.
             * @default 0
             */
            kitty_keyboard: number;
            /**
             * @description A synchronized update has begun and not ended.
             * @default false
             */
            synchronized: boolean;
        };
        /** @description Columns and rows. */
        TerminalSize: {
            /**
             * Format: int32
             * @default 0
             */
            cols: number;
            /**
             * Format: int32
             * @default 0
             */
            rows: number;
        };
        /** @description The program named its window. */
        TitleEvent: {
            /** @default  */
            title: string;
        };
        /**
         * @description What a connection can follow.
         * @enum {string}
         */
        Topic: "output" | "screen" | "state" | "prompts" | "hooks" | "transcripts";
        /** @description The conversation as it was before it was shortened. */
        Transcript: {
            /**
             * Format: int64
             * @description From 1.
             * @default 0
             */
            number: number;
            /**
             * Format: int64
             * @default 0
             */
            lines: number;
            /**
             * Format: int64
             * @default 0
             */
            bytes: number;
            /**
             * Format: int64
             * @description In milliseconds since 1970.
             * @default 0
             */
            at_ms: number;
        };
        /** @description The conversation was kept as it was before it was shortened. */
        TranscriptSavedEvent: {
            /**
             * Format: int64
             * @default 0
             */
            number: number;
            /**
             * Format: int64
             * @default 0
             */
            lines: number;
            /**
             * Format: int64
             * @default 0
             */
            at_ms: number;
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
        /** @description The conversation has used more, or another one goes on. */
        UsageEvent: {
            /** @default null */
            usage: components["schemas"]["Usage"] | null;
            /** @default null */
            cost: components["schemas"]["Cost"] | null;
            /** @default null */
            context: components["schemas"]["Context"] | null;
        };
        WaitRequest: {
            /**
             * @description One state or several, for example `idle` or `idle,prompt`.
             * @default
             */
            state: string;
            /**
             * Format: int32
             * @description Seconds. Default: 30, at most 3600.
             * @default null
             */
            timeout: number | null;
        };
        WaitResponse: {
            /**
             * @description The state that was reached, or the one at the end of the time.
             * @default
             */
            state: string;
            /** @default false */
            reached: boolean;
            /**
             * @description The time was over before. Without this and without `reached`, the agent has exited.
             * @default false
             */
            timed_out: boolean;
            /** @default null */
            agent: components["schemas"]["GetAgentStateResponse"] | null;
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
    explain: {
        parameters: {
            query?: {
                /** @description With the evidence itself, so that it can be decided again (`coop replay`). */
                evidence?: boolean;
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
                    "application/json": components["schemas"]["ExplainResponse"];
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
    interrupt: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InterruptRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InterruptResponse"];
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
    nudge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NudgeRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NudgeResponse"];
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
    respond: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
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
                    "application/json": components["schemas"]["RespondResponse"];
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
    state: {
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
                    "application/json": components["schemas"]["GetAgentStateResponse"];
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
    wait: {
        parameters: {
            query?: {
                /** @description One state or several, for example `idle` or `idle,prompt`. */
                state?: string;
                /** @description Seconds. Default: 30, at most 3600. */
                timeout?: number;
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
                    "application/json": components["schemas"]["WaitResponse"];
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
    groom_config: {
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
                    "application/json": components["schemas"]["GroomConfig"];
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
    put_groom_config: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GroomConfig"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroomConfig"];
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
    lifted_config: {
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
                    "application/json": components["schemas"]["LiftedConfig"];
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
    put_lifted_config: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LiftedConfig"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiftedConfig"];
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
    recording_config: {
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
                    "application/json": components["schemas"]["Recording"];
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
    put_recording_config: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecordingConfig"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recording"];
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
    start_config: {
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
                    "application/json": components["schemas"]["StartConfig"];
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
    put_start_config: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartConfig"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartConfig"];
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
    stop_config: {
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
                    "application/json": components["schemas"]["StopConfig"];
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
    put_stop_config: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StopConfig"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StopConfig"];
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
    events_catchup: {
        parameters: {
            query?: {
                /** @description The number of the last event seen. Default: 0, before the first. */
                since?: number;
                /** @description At most this many. Default and most: 1000. */
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
                    "application/json": components["schemas"]["GetEventsResponse"];
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
                    "application/json": components["schemas"]["GetHealthResponse"];
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
                    /** @description Commands whose output the hook adds, as a JSON list */
                    "Coop-Shell"?: string | null;
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
    input: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendInputRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendInputResponse"];
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
    keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendKeysRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendKeysResponse"];
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
    input_raw: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendInputRawRequest"];
                "application/octet-stream": number[];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendInputRawResponse"];
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
    lease: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LeaseRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeaseResponse"];
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
    output: {
        parameters: {
            query?: {
                /** @description Where to begin. Default: the oldest that is kept. */
                offset?: number;
                /** @description At most this many bytes. Default: 64 KiB, at most 1 MiB. */
                limit?: number;
                /** @description The generation the offset counts in. Default: the current one. */
                generation?: number;
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
                    "application/json": components["schemas"]["GetOutputResponse"];
                    "application/octet-stream": number[];
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
    recording: {
        parameters: {
            query?: {
                /**
                 * @description `start`: what is kept of the output, with its times, and no more. `now`: the screen as it is and all that comes, until
                 *     the program or the connection ends.
                 */
                from?: "start" | "now";
                /** @description Version of the format: 2, which every player reads, or 3. */
                version?: number;
                /** @description With `now`: also what is typed, unless the program reads lines that the terminal does not show: a password may be asked for. */
                input?: boolean;
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
                    "application/x-asciicast": string;
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
    resize: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResizeRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResizeResponse"];
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
            query?: {
                /** @description The next offset the client expects. Without it, it gets the screen. */
                offset?: number;
                generation?: number;
                /** @description Lines of history to paint above the screen. */
                scrollback?: number;
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
                    "application/json": components["schemas"]["ResumeResponse"];
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
    screen: {
        parameters: {
            query?: {
                /**
                 * @description `text` (default), `ansi` (lines with colour codes) or `cells` (runs of styled cells).
                 * @example text
                 */
                format?: string;
                /** @description Whether to include the cursor. Default: yes. */
                cursor?: boolean;
                /** @description Lines of history before the screen. */
                scrollback?: number;
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
                    "application/json": components["schemas"]["GetScreenResponse"];
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
    screen_svg: {
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
                    "image/svg+xml": string;
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
    screen_text: {
        parameters: {
            query?: {
                /** @description Lines of history before the screen. */
                scrollback?: number;
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
                    "text/plain": string;
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
    restart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RestartRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RestartResponse"];
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
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShutdownRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShutdownResponse"];
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
    signal: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendSignalRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendSignalResponse"];
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
    status: {
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
                    "application/json": components["schemas"]["GetStatusResponse"];
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
    stop_resolve: {
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
                    "application/json": components["schemas"]["ResolveStopResponse"];
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
    transcripts: {
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
                    "application/json": components["schemas"]["ListTranscriptsResponse"];
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
    transcripts_catchup: {
        parameters: {
            query?: {
                /** @description The last transcript that was seen. */
                since_transcript?: number;
                /** @description The number of lines of the conversation that were seen. */
                since_line?: number;
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
                    "application/json": components["schemas"]["CatchupTranscriptsResponse"];
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
    transcript: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description From 1 */
                number: number;
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
                    "application/json": components["schemas"]["GetTranscriptResponse"];
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
    livez: {
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
                    "text/plain": string;
                };
            };
        };
    };
    metrics: {
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
                    "application/openmetrics-text": string;
                };
            };
        };
    };
    ready: {
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
                    "text/plain": string;
                };
            };
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    connect: {
        parameters: {
            query?: {
                /** @description `raw` (output), `screen`, `state` (events) or `all`. Default: `all`. */
                mode?: string;
                /** @description The same in detail, for example `output,state`. */
                subscribe?: string;
                /** @description Output goes on here; where it cannot, the screen is sent. */
                offset?: number;
                generation?: number;
                /** @description Begin with the bytes that paint the screen. */
                snapshot?: boolean;
                /** @description Lines of history to paint above it. */
                scrollback?: number;
                /** @description `json` (default) or `binary`: output as binary frames, 8 bytes of offset (big-endian) and then the bytes. */
                encoding?: string;
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
