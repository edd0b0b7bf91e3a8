"""The configuration file: one module for each of its tables.

`[answer]` is `answer.py`, `[log]` is `log.py`, and so on; `[servers]` is `server_limits.py`. `bot_config.py` puts them
together and reads the file, `table_reader.py` reads the environment, and `settings_catalog.py` lists what `/settings`
can change. `docs/settings.md` is generated from the fields.
"""

from .access import AccessConfig, AccessList
from .answer import AnswerConfig
from .bot_config import BotConfig, load_config, read_config
from .budget import BudgetConfig, PriceConfig
from .cluster import ClusterConfig
from .context import ContextConfig
from .discord import DiscordConfig
from .durability import DurabilityConfig
from .log import LogConfig
from .mcp import McpConfig
from .models import ModelConfig
from .moderation import ModerationConfig
from .personas import PersonaConfig, SpriteConfig, is_address
from .privacy import PrivacyConfig
from .providers import build_provider, open_providers
from .server_limits import ServersConfig
from .table_reader import ConfigError
from .tools import ToolConfig
from .voice import VoiceConfig

__all__ = [
    "AccessConfig",
    "AccessList",
    "AnswerConfig",
    "BotConfig",
    "BudgetConfig",
    "ClusterConfig",
    "ConfigError",
    "ContextConfig",
    "DiscordConfig",
    "DurabilityConfig",
    "LogConfig",
    "McpConfig",
    "ModelConfig",
    "ModerationConfig",
    "PersonaConfig",
    "PriceConfig",
    "PrivacyConfig",
    "ServersConfig",
    "SpriteConfig",
    "ToolConfig",
    "VoiceConfig",
    "build_provider",
    "is_address",
    "load_config",
    "open_providers",
    "read_config",
]
