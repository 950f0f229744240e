#include "server/gate/assets.h"

const struct asset *asset_find(struct bytes path)
{
    if (bytes_equal(path, bytes_of("/")))
        path = bytes_of("/index.html");
    for (size_t i = 0; i < asset_table_size; i++)
        if (bytes_equal(path, bytes_of(asset_table[i].path)))
            return &asset_table[i];
    return NULL;
}
